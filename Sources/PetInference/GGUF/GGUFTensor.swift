// SPDX-License-Identifier: Apache-2.0
/// Where a tensor lies in its file and what it holds.
package struct GGUFTensor: Sendable, Equatable {
  package let name: String
  /// Fastest varying first: a matrix of R rows and C columns has dimensions [C, R].
  package let dimensions: [Int]
  package let type: TensorType
  /// Bytes from the start of the file.
  package let bytes: Range<Int>
}
