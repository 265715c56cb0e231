// SPDX-License-Identifier: Apache-2.0
extension Graph {
  /// What a file may ask for; some ten times what the largest of the shipped graphs does.
  package enum Limit {
    static let inputs = 8
    static let outputs = 32
    static let constants = 4096
    static let nodes = 1024
    static let nameBytes = 64
    /// 128 MiB of 32-bit floats.
    static let constantElements = 1 << 25
    /// Of all results together: 512 MiB.
    static let resultElements = 1 << 27
    /// Multiplications with additions; some seconds on one thread.
    static let operations = 1 << 33
  }

  /// - Throws: `invalidModel` with the first thing that is wrong.
  package init(json: [UInt8]) throws(ClassifierError) {
    try self.init(GraphDefinition(json: json))
  }

  /// Checks everything: counts, names, order, operands, attributes, shapes, sizes, and that nothing is left unused.
  /// - Throws: `invalidModel` with the first thing that is wrong.
  /// - Complexity: O(nodes + constants).
  package init(_ definition: GraphDefinition) throws(ClassifierError) {
    var builder = try GraphBuilder(definition)
    for input in definition.inputs { try builder.add(input) }
    for constant in definition.constants { try builder.add(constant) }
    for node in definition.nodes { try builder.add(node) }
    for output in definition.outputs { try builder.addOutput(output) }
    try builder.checkUse()
    self.init(
      inputs: builder.inputs, outputs: builder.outputs, constants: builder.constants, nodes: builder.nodes,
      operationCount: builder.operationCount)
  }
}

private struct GraphBuilder {
  package var inputs: [Graph.Input] = []
  package var outputs: [Graph.Output] = []
  package var constants: [Graph.Constant] = []
  package var nodes: [Graph.Node] = []
  package var operationCount = 0

  private var constantElements = 0
  private var resultElements = 0
  private var values: [String: Int] = [:]
  private var shapes: [TensorShape] = []
  private var isUsed: [Bool] = []
  private let constantNumbers: Range<Int>

  package init(_ definition: GraphDefinition) throws(ClassifierError) {
    guard definition.version == 1 else {
      throw .invalidModel("version \(definition.version) of graphs is not known; 1 is")
    }
    try Self.check("inputs", definition.inputs.count, Graph.Limit.inputs, least: 1)
    try Self.check("outputs", definition.outputs.count, Graph.Limit.outputs, least: 1)
    try Self.check("constants", definition.constants.count, Graph.Limit.constants, least: 0)
    try Self.check("nodes", definition.nodes.count, Graph.Limit.nodes, least: 1)
    constantNumbers = definition.inputs.count..<definition.inputs.count + definition.constants.count
  }

  private static func check(_ what: String, _ count: Int, _ limit: Int, least: Int) throws(ClassifierError) {
    guard (least...limit).contains(count) else {
      throw .invalidModel("a graph has \(count) \(what); \(least) to \(limit) can be used")
    }
  }

  private mutating func name(_ name: String, _ shape: TensorShape) throws(ClassifierError) {
    guard (1...Graph.Limit.nameBytes).contains(name.utf8.count) else {
      throw .invalidModel("a name has \(name.utf8.count) bytes; 1 to \(Graph.Limit.nameBytes) can be used")
    }
    guard values.updateValue(shapes.count, forKey: name) == nil else {
      throw .invalidModel("two values are called \"\(name)\"")
    }
    shapes.append(shape)
    isUsed.append(false)
  }

  private mutating func use(_ name: String) throws(ClassifierError) -> Int {
    guard let number = values[name] else {
      throw .invalidModel("\"\(name.prefix(Graph.Limit.nameBytes))\" is used before it is made, or is no value")
    }
    isUsed[number] = true
    return number
  }

  package mutating func add(_ input: GraphDefinition.Input) throws(ClassifierError) {
    guard input.range.count == 2, input.range.allSatisfy(\.isFinite), input.range[0] < input.range[1] else {
      throw .invalidModel("the range of input \"\(input.name.prefix(Graph.Limit.nameBytes))\" is not low and high")
    }
    let shape = try TensorShape(input.shape)
    try name(input.name, shape)
    try countResult(shape)
    inputs.append(Graph.Input(name: input.name, shape: shape, range: input.range[0]...input.range[1]))
  }

  package mutating func add(_ constant: GraphDefinition.Named) throws(ClassifierError) {
    let shape = try TensorShape(constant.shape)
    constantElements += shape.count
    guard constantElements <= Graph.Limit.constantElements else {
      throw .invalidModel("constants have more than \(Graph.Limit.constantElements) elements")
    }
    try name(constant.name, shape)
    constants.append(Graph.Constant(name: constant.name, shape: shape))
  }

  package mutating func add(_ node: GraphDefinition.Node) throws(ClassifierError) {
    let operands = node.operation.operands
    guard node.inputs.count == operands.count else {
      throw .invalidModel("\(node.operation.name) has \(node.inputs.count) operands instead of \(operands.count)")
    }
    var numbers: [Int] = []
    for (input, operand) in zip(node.inputs, operands) {
      let number = try use(input)
      guard constantNumbers.contains(number) == (operand == .constant) else {
        let wanted = operand == .constant ? "a constant" : "no constant"
        throw .invalidModel("\(node.operation.name): \"\(input)\" must be \(wanted)")
      }
      numbers.append(number)
    }
    let stated = try TensorShape(node.shape)
    let operandShapes = numbers.map { shapes[$0] }
    let computed = try node.operation.resultShape(operandShapes, stated: stated)
    guard computed == stated else {
      throw .invalidModel("\(node.operation.name) gives \(computed), not \(stated) as \"\(node.output)\" states")
    }
    try countResult(stated)
    operationCount += node.operation.operationCount(operandShapes, result: stated)
    guard operationCount <= Graph.Limit.operations else {
      throw .invalidModel("one run takes more than \(Graph.Limit.operations) operations")
    }
    try name(node.output, stated)
    nodes.append(Graph.Node(operation: node.operation, inputs: numbers, shape: stated))
  }

  private mutating func countResult(_ shape: TensorShape) throws(ClassifierError) {
    resultElements += shape.count
    guard resultElements <= Graph.Limit.resultElements else {
      throw .invalidModel("results have more than \(Graph.Limit.resultElements) elements")
    }
  }

  package mutating func addOutput(_ output: GraphDefinition.Named) throws(ClassifierError) {
    let number = try use(output.name)
    guard number >= constantNumbers.upperBound else {
      throw .invalidModel("output \"\(output.name)\" is not the result of a node")
    }
    guard !outputs.contains(where: { $0.value == number }) else {
      throw .invalidModel("\"\(output.name)\" is an output twice")
    }
    guard shapes[number].sizes == output.shape else {
      throw .invalidModel("output \"\(output.name)\" is \(shapes[number]), not what is stated")
    }
    outputs.append(Graph.Output(name: output.name, shape: shapes[number], value: number))
  }

  package func checkUse() throws(ClassifierError) {
    guard let unused = values.filter({ !isUsed[$0.value] }).min(by: { $0.value < $1.value }) else { return }
    throw .invalidModel("\"\(unused.key)\" is not used")
  }
}
