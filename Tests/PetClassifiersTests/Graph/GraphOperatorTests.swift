// SPDX-License-Identifier: Apache-2.0
import SeededGenerator
import Testing

import PetClassifiers

/// Every operation on XNNPACK against its plain definition, on random shapes.
struct GraphOperatorTests {
  static let operations = [
    "conv2d", "depthwise_conv2d", "fully_connected", "add", "prelu", "sigmoid", "softmax", "global_average_pool2d",
    "max_pool2d", "pad", "resize_bilinear", "reshape", "depth_to_space",
  ]

  @Test(arguments: operations)
  func `executor and reference agree`(op: String) throws {
    var random = SeededGenerator(seed: 7)
    for _ in 0..<25 {
      let small = Self.graph(op, &random)
      let graph = try Graph(json: small.json)
      let source = GivenTensors(
        tensors: Dictionary(uniqueKeysWithValues: graph.constants.map { ($0.name, random.floats($0.shape.count)) }))
      let inputs = graph.inputs.map { random.floats($0.shape.count) }
      let expected = try ReferenceInterpreter(graph, constants: source).run(inputs)[0]
      let result = try GraphExecutor(graph, constants: source).run(inputs)[0]
      let isClose = zip(result, expected).allSatisfy { abs($0 - $1) <= 2e-4 * max(1, abs($1)) }
      #expect(isClose && result.count == expected.count, "\(String(decoding: small.json, as: UTF8.self))")
    }
  }

  static func graph(_ op: String, _ random: inout SeededGenerator) -> SmallGraph {
    func any(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    let (height, width, channels) = (any(1...12), any(1...12), any(1...20))
    let x = [1, height, width, channels]
    let activation = #""activation": "\#(["none", "relu", "relu6"][any(0...2)])""#
    switch op {
    case "conv2d", "depthwise_conv2d", "max_pool2d":
      let isPool = op == "max_pool2d"
      let (rows, columns) = (any((isPool ? 2 : 1)...min(5, height + 1)), any(1...min(5, width)))
      let (down, right) = (any(1...2), any(1...2))
      let padding = [any(0...(rows - 1)), any(0...(columns - 1)), any(0...(rows - 1)), any(0...(columns - 1))]
      let top = height + padding[0] + padding[2] < rows ? rows - 1 : padding[0]
      let size = [
        (height + top + padding[2] - rows) / down + 1, (width + padding[1] + padding[3] - columns) / right + 1,
      ]
      let window = [
        #""stride": [\#(down), \#(right)]"#,
        #""padding": [\#(top), \#(padding[1]), \#(padding[2]), \#(padding[3])]"#,
      ]
      if isPool {
        return SmallGraph(
          op: op, x: x, y: [1] + size + [channels], attributes: window + [#""kernel": [\#(rows), \#(columns)]"#])
      }
      let isDepthwise = op == "depthwise_conv2d"
      let result = isDepthwise ? channels : any(1...20)
      let filter = isDepthwise ? [1, rows, columns, channels] : [result, rows, columns, channels]
      return SmallGraph(
        op: op, x: x, constants: [("a", filter), ("b", [result])], y: [1] + size + [result],
        attributes: window + [activation])
    case "fully_connected":
      let result = any(1...20)
      return SmallGraph(
        op: op, x: [1, channels], constants: [("a", [result, channels]), ("b", [result])], y: [1, result],
        attributes: [activation])
    case "add": return SmallGraph(op: op, x: x, hasSecondInput: true, y: x, attributes: [activation])
    case "prelu": return SmallGraph(op: op, x: x, constants: [("a", [channels])], y: x)
    case "softmax": return SmallGraph(op: op, x: [1, channels], y: [1, channels])
    case "global_average_pool2d": return SmallGraph(op: op, x: x, y: [1, 1, 1, channels])
    case "pad":
      let (before, after) = ([0, any(0...3), any(0...3), any(0...3)], [0, any(0...3), any(0...3), any(0...3)])
      return SmallGraph(
        op: op, x: x, y: (0..<4).map { before[$0] + x[$0] + after[$0] },
        attributes: [#""before": \#(before)"#, #""after": \#(after)"#])
    case "resize_bilinear":
      let mode = ["half_pixel", "align_corners", "legacy"][any(0...2)]
      return SmallGraph(
        op: op, x: x, y: [1, any(2...24), any(2...24), channels], attributes: [#""mode": "\#(mode)""#])
    case "reshape": return SmallGraph(op: op, x: x, y: [1, height * width * channels])
    case "depth_to_space":
      let block = any(2...3)
      return SmallGraph(
        op: op, x: [1, height, width, channels * block * block], y: [1, height * block, width * block, channels],
        attributes: [#""block": \#(block)"#])
    default: return SmallGraph(op: op, x: x, y: x)
    }
  }
}
