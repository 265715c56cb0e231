// SPDX-License-Identifier: Apache-2.0
/// Sizes of a tensor's dimensions, the last one varying fastest. Pictures are [1, height, width, channels].
///
/// A shape that exists is small: its number of elements, and that number times 4, cannot overflow.
package struct TensorShape: Equatable, Sendable, CustomStringConvertible {
  package let sizes: [Int]
  /// Number of elements.
  package let count: Int

  /// 256 MiB of 32-bit floats, some 80 times what the largest value of the shipped graphs takes.
  package static let elementLimit = 1 << 26
  package static let sizeLimit = 1 << 16
  package static let rankLimit = 4

  /// - Throws: `invalidModel` unless there are 1 to 4 sizes, each from 1 to 65,536, of at most 67,108,864 elements.
  package init(_ sizes: [Int]) throws(ClassifierError) {
    guard (1...Self.rankLimit).contains(sizes.count) else {
      throw .invalidModel("a shape has \(sizes.count) dimensions; 1 to \(Self.rankLimit) are known")
    }
    var count = 1
    for size in sizes {
      guard (1...Self.sizeLimit).contains(size) else {
        throw .invalidModel("a dimension is \(size); 1 to \(Self.sizeLimit) can be used")
      }
      count *= size  // at most 2^26 * 2^16
      guard count <= Self.elementLimit else {
        throw .invalidModel("shape \(sizes) has more than \(Self.elementLimit) elements")
      }
    }
    self.sizes = sizes
    self.count = count
  }

  package var rank: Int { sizes.count }
  package subscript(index: Int) -> Int { sizes[index] }

  package var description: String { "[" + sizes.map(String.init).joined(separator: ", ") + "]" }
}
