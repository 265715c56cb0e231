// SPDX-License-Identifier: Apache-2.0
/// Where a tensor lies in its file and what it holds.
public struct GGUFTensor: Sendable, Equatable {
  public let name: String
  /// Fastest varying first: a matrix of R rows and C columns has dimensions [C, R].
  public let dimensions: [Int]
  public let type: TensorType
  /// Bytes from the start of the file.
  public let bytes: Range<Int>
}
