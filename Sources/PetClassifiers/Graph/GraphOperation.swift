// SPDX-License-Identifier: Apache-2.0
/// What a node does. Every operation reads values that stand before it and gives one.
///
/// Operands, first to last; f, b and s are constants:
/// - `conv2d`: x [1, H, W, I], f [O, h, w, I], b [O] -> [1, H', W', O]
/// - `depthwiseConv2d`: x [1, H, W, C], f [1, h, w, C], b [C] -> [1, H', W', C]
/// - `fullyConnected`: x [1, I], f [O, I], b [O] -> [1, O]
/// - `add`: x, y of one shape -> the same
/// - `prelu`: x [1, H, W, C], s [C] -> the same as x: x where it is positive, else s x
/// - `sigmoid`: x -> the same shape
/// - `softmax`: x [1, C] -> the same
/// - `globalAveragePool2d`: x [1, H, W, C] -> [1, 1, 1, C]
/// - `maxPool2d`: x [1, H, W, C] -> [1, H', W', C]; padding never wins
/// - `pad`: x [1, H, W, C] with zeros before and after each dimension
/// - `resizeBilinear`: x [1, H, W, C] -> [1, H', W', C], as the node's shape says
/// - `reshape`: x -> the node's shape, of as many elements
/// - `depthToSpace`: x [1, H, W, b b C] -> [1, b H, b W, C]
///
/// They mean what the operators of these names mean in TensorFlow Lite: https://www.tensorflow.org/mlir/tfl_ops
package enum GraphOperation: Equatable, Sendable {
  case conv2d(Window, Activation)
  case depthwiseConv2d(Window, Activation)
  case fullyConnected(Activation)
  case add(Activation)
  case prelu
  case sigmoid
  case softmax
  case globalAveragePool2d
  case maxPool2d(kernel: Size, Window)
  case pad(before: [Int], after: [Int])
  case resizeBilinear(ResizeMode)
  case reshape
  case depthToSpace(block: Int)

  /// Rows and columns.
  package struct Size: Equatable, Sendable {
    package let height: Int
    package let width: Int
  }

  /// How a kernel walks over a picture; padding is of zeros, or for the maximum of nothing.
  package struct Window: Equatable, Sendable {
    package let stride: Size
    package let top: Int
    package let right: Int
    package let bottom: Int
    package let left: Int
  }

  /// The bounds that results are cut to.
  package enum Activation: String, Decodable, Equatable, Sendable {
    case none
    case relu
    case relu6

    var bounds: ClosedRange<Float> {
      switch self {
      case .none: -.infinity ... .infinity
      case .relu: 0 ... .infinity
      case .relu6: 0...6
      }
    }
  }

  /// Where a pixel of the result lies in the source.
  package enum ResizeMode: String, Decodable, Equatable, Sendable {
    /// Centres of pixels lie at halves.
    case halfPixel = "half_pixel"
    /// The outermost pixels lie on each other.
    case alignCorners = "align_corners"
    /// The first pixels lie on each other.
    case legacy
  }

  /// What each operand must be: a constant or a value that is computed.
  package enum Operand {
    case computed
    case constant
  }

  package var operands: [Operand] {
    switch self {
    case .conv2d, .depthwiseConv2d, .fullyConnected: [.computed, .constant, .constant]
    case .prelu: [.computed, .constant]
    case .add: [.computed, .computed]
    case .sigmoid, .softmax, .globalAveragePool2d, .maxPool2d, .pad, .resizeBilinear, .reshape, .depthToSpace:
      [.computed]
    }
  }
}
