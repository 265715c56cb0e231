// SPDX-License-Identifier: Apache-2.0
/// Any key of a JSON object.
package struct AnyKey: CodingKey {
  package let stringValue: String
  package var intValue: Int? { nil }
  package init(stringValue: String) { self.stringValue = stringValue }
  package init?(intValue: Int) { nil }
}

extension GraphOperation {
  /// Reads "op" and its attributes; `others` are the keys of a node that belong to no operation. An attribute that is not
  /// known is refused: what is not understood would change the result.
  package init(from container: KeyedDecodingContainer<AnyKey>, others: Set<String>) throws {
    let attributes = Attributes(container: container)
    let op = try attributes.value("op", String.self)
    switch op {
    case "conv2d": self = .conv2d(try attributes.window(), try attributes.activation())
    case "depthwise_conv2d": self = .depthwiseConv2d(try attributes.window(), try attributes.activation())
    case "fully_connected": self = .fullyConnected(try attributes.activation())
    case "add": self = .add(try attributes.activation())
    case "prelu": self = .prelu
    case "sigmoid": self = .sigmoid
    case "softmax": self = .softmax
    case "global_average_pool2d": self = .globalAveragePool2d
    case "max_pool2d": self = .maxPool2d(kernel: try attributes.size("kernel"), try attributes.window())
    case "pad": self = .pad(before: try attributes.value("before"), after: try attributes.value("after"))
    case "resize_bilinear": self = .resizeBilinear(try attributes.value("mode"))
    case "reshape": self = .reshape
    case "depth_to_space": self = .depthToSpace(block: try attributes.value("block"))
    default: throw ClassifierError.invalidModel("operation \"\(op.prefix(40))\" is not known")
    }
    let known = attributes.read.union(others)
    if let stranger = container.allKeys.map(\.stringValue).filter({ !known.contains($0) }).min() {
      throw ClassifierError.invalidModel("\(op) has no attribute \"\(stranger.prefix(40))\"")
    }
  }

  /// Reads attributes and remembers which.
  private final class Attributes {
    let container: KeyedDecodingContainer<AnyKey>
    var read: Set<String> = []

    init(container: KeyedDecodingContainer<AnyKey>) {
      self.container = container
    }

    func value<Value: Decodable>(_ name: String, _ type: Value.Type = Value.self) throws -> Value {
      read.insert(name)
      return try container.decode(type, forKey: AnyKey(stringValue: name))
    }

    func activation() throws -> Activation { try value("activation") }

    func numbers(_ name: String, count: Int) throws -> [Int] {
      let numbers: [Int] = try value(name)
      guard numbers.count == count else {
        throw ClassifierError.invalidModel("\"\(name)\" has \(numbers.count) numbers instead of \(count)")
      }
      return numbers
    }

    func size(_ name: String) throws -> Size {
      let sizes = try numbers(name, count: 2)
      return Size(height: sizes[0], width: sizes[1])
    }

    func window() throws -> Window {
      let padding = try numbers("padding", count: 4)
      return Window(
        stride: try size("stride"), top: padding[0], right: padding[1], bottom: padding[2], left: padding[3])
    }
  }
}
