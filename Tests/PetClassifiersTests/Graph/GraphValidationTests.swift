// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import SeededGenerator
import Testing

import PetClassifiers

/// What a file may not say about a graph. Nothing here traps, and memory is taken only for what was checked.
struct GraphValidationTests {
  static let good = SmallGraph(
    op: "conv2d", x: [1, 8, 8, 3], constants: [("a", [4, 3, 3, 3]), ("b", [4])], y: [1, 4, 4, 4],
    attributes: [#""stride": [2, 2]"#, #""padding": [0, 1, 1, 0]"#, #""activation": "relu6""#])

  /// Text of the good definition -> what to put there instead.
  static let faults: [(String, String)] = [
    (#""version": 1"#, #""version": 2"#),
    (#""version": 1"#, #""version": 1e400"#),
    (#""version": 1"#, #""version": null"#),
    (#""name": "a""#, #""name": "b""#),  // two of one name
    (#""name": "a""#, #""name": """#),
    (#""name": "a""#, #""name": "\#(String(repeating: "a", count: 65))""#),
    (#""name": "a""#, #""name": "c""#),  // "a" is used and not there
    (#""range": [-4, 4]"#, #""range": [4, -4]"#),
    (#""range": [-4, 4]"#, #""range": [-4]"#),
    (#""range": [-4, 4]"#, #""range": []"#),
    (#""op": "conv2d""#, #""op": "conv3d""#),
    (#""op": "conv2d""#, #""op": "add""#),
    (#""op": "conv2d""#, #""op": 3"#),
    (#""output": "y""#, #""output": "x""#),
    (#""output": "y""#, #""output": "z""#),
    (#""activation": "relu6""#, #""activation": "gelu""#),
    (#""activation": "relu6""#, #""activation": "relu6", "dilation": [2, 2]"#),  // would change the result
    (#""stride": [2, 2]"#, #""stride": [0, 2]"#),
    (#""stride": [2, 2]"#, #""stride": [-1, 2]"#),
    (#""stride": [2, 2]"#, #""stride": [2]"#),
    (#""stride": [2, 2]"#, #""stride": [1, 2]"#),  // gives another shape
    (#""stride": [2, 2]"#, #""stride": [9223372036854775807, 2]"#),
    (#""padding": [0, 1, 1, 0]"#, #""padding": [0, 3, 1, 0]"#),
    (#""padding": [0, 1, 1, 0]"#, #""padding": [-1, 1, 1, 0]"#),
    (#""padding": [0, 1, 1, 0]"#, #""padding": [9223372036854775807, 1, 9223372036854775807, 0]"#),
    ("[4, 3, 3, 3]", "[4, 3, 3, 4]"),
    ("[4, 3, 3, 3]", "[4, 3, 3]"),
    ("[4, 3, 3, 3]", "[]"),
    ("[4, 3, 3, 3]", "[4, 0, 3, 3]"),
    ("[4, 3, 3, 3]", "[4, -3, -3, 3]"),
    ("[4, 3, 3, 3]", "[9223372036854775807, 9223372036854775807, 3, 3]"),
    ("[4, 3, 3, 3]", "[65536, 64, 64, 3]"),
    ("[4, 3, 3, 3]", "[4, 100, 3, 3]"),
    ("[1, 8, 8, 3]", "[2, 8, 8, 3]"),
    ("[1, 8, 8, 3]", "[1, 8, 8, 3, 1]"),
    ("[1, 8, 8, 3]", "[1, 65536, 65536, 3]"),
    ("[1, 8, 8, 3]", "[1, 2, 2, 3]"),
    ("[1, 4, 4, 4]", "[1, 4, 4, 5]"),
    (#"["x", "a", "b"]"#, #"["x", "a"]"#),
    (#"["x", "a", "b"]"#, #"["x", "a", "b", "b"]"#),
    (#"["x", "a", "b"]"#, #"["a", "a", "b"]"#),  // a constant where there must be none
    (#"["x", "a", "b"]"#, #"["x", "x", "b"]"#),
    (#"["x", "a", "b"]"#, #"["y", "a", "b"]"#),  // its own result
    (#""outputs": [{"name": "y""#, #""outputs": [{"name": "x""#),
    (#""outputs": [{"name": "y""#, #""outputs": [{"name": "q""#),
    (#""outputs": [{"name": "y", "shape": [1, 4, 4, 4]}]"#, #""outputs": []"#),
    (
      #""outputs": [{"name": "y", "shape": [1, 4, 4, 4]}]"#,
      #""outputs": [{"name": "y", "shape": [1, 4, 4, 4]}, {"name": "y", "shape": [1, 4, 4, 4]}]"#
    ),
    (#""constants": ["#, #""constants": [{"name": "unused", "shape": [1]}, "#),
    (#""nodes": ["#, #""nodes": [3, "#),
  ]

  @Test func `a good definition is accepted`() throws {
    let graph = try Graph(json: Self.good.json)
    #expect(graph.nodes.count == 1)
    #expect(graph.operationCount == 4 * 4 * 4 * 3 * 3 * 3)
  }

  @Test(arguments: faults)
  func `a fault is named`(text: String, replacement: String) throws {
    let json = String(decoding: Self.good.json, as: UTF8.self)
    let broken = json.replacing(text, with: replacement)
    #expect(broken != json)
    #expect { try Graph(json: Array(broken.utf8)) } throws: { error in
      guard case .invalidModel(let reason)? = error as? ClassifierError else { return false }
      return !reason.isEmpty && reason.utf8.count < 400
    }
  }

  @Test func `text that is no definition is refused`() {
    let nested = String(repeating: "[", count: 100_000)
    let long = String(repeating: " ", count: 1 << 21)
    for text in ["", "{}", "[]", "null", "{", "\u{0}", nested, #"{"version": 1}"#, long] {
      #expect(throws: ClassifierError.self) { try Graph(json: Array(text.utf8)) }
    }
    #expect(throws: ClassifierError.self) { try Graph(json: [0xFF, 0xFE, 0x00]) }
  }

  @Test func `work without end is refused`() {
    let large = SmallGraph(
      op: "conv2d", x: [1, 1024, 1024, 64], constants: [("a", [64, 63, 63, 64]), ("b", [64])], y: [1, 1024, 1024, 64],
      attributes: [#""stride": [1, 1]"#, #""padding": [31, 31, 31, 31]"#, #""activation": "none""#])
    #expect(throws: ClassifierError.self) { try Graph(json: large.json) }
  }

  /// Bytes of good definitions are changed at random; whatever is still accepted can be made and run.
  @Test(arguments: GraphOperatorTests.operations)
  func `changed definitions never trap`(op: String) throws {
    var random = SeededGenerator(seed: 11)
    let bytes = Array(#"0123456789-.,:[]{}"eax "#.utf8)
    let numbers = ["-1", "0", "1", "2", "63", "64", "65536", "65537", "9223372036854775807", "1e9", "0.5"]
    var accepted = 0
    for _ in 0..<400 {
      let small = GraphOperatorTests.graph(op, &random)
      var json = small.json
      if Bool.random(using: &random) {
        for _ in 0..<Int.random(in: 1...3, using: &random) {
          json[Int.random(in: 0..<json.count, using: &random)] = bytes.randomElement(using: &random) ?? 0
        }
      } else {
        let digits = json.indices.filter { (0x30...0x39).contains(json[$0]) }
        guard let place = digits.randomElement(using: &random) else { continue }
        json.replaceSubrange(place...place, with: Array((numbers.randomElement(using: &random) ?? "0").utf8))
      }
      do {
        let graph = try Graph(json: json)
        guard graph.operationCount < 1 << 20, graph.nodes.allSatisfy({ $0.shape.count < 1 << 20 }) else { continue }
        let tensors = graph.constants.map { ($0.name, random.floats($0.shape.count)) }
        let source = GivenTensors(tensors: Dictionary(uniqueKeysWithValues: tensors))
        let executor = try GraphExecutor(graph, constants: source)
        _ = try executor.run(graph.inputs.map { [Float](repeating: $0.range.lowerBound, count: $0.shape.count) })
        accepted += 1
      } catch {
        continue  // refused, by the only type of error there is
      }
    }
    #expect(accepted > 0)  // or nothing was tried
  }

  @Test func `constants that are missing, short or not finite are refused`() throws {
    let graph = try Graph(json: Self.good.json)
    let tensors = ["a": [Float](repeating: 1, count: 108), "b": [Float](repeating: 0, count: 4)]
    _ = try GraphExecutor(graph, constants: GivenTensors(tensors: tensors))
    let faults: [(String, [Float]?)] = [("a", nil), ("a", [1]), ("b", [0, 0, 0, .nan]), ("b", [0, 0, .infinity, 0])]
    for (name, values) in faults {
      var broken = tensors
      broken[name] = values
      #expect(throws: ClassifierError.self) { try GraphExecutor(graph, constants: GivenTensors(tensors: broken)) }
    }
  }
}
