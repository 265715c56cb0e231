// SPDX-License-Identifier: Apache-2.0
/// A tensor's name, type, dimensions and place in its file.
package struct GGUFTensor: Sendable, Equatable {
  package let name: String
  /// Fastest varying first: a matrix of R rows and C columns has dimensions [C, R].
  package let dimensions: [Int]
  package let type: TensorType
  /// Bytes from the start of the file.
  package let bytes: Range<Int>
}
