// SPDX-License-Identifier: Apache-2.0
import Testing

import PetClassifiers

/// Graphs against what LiteRT, and for expression-medium Keras, answered for crops of real pictures.
struct GraphGoldenTests {
  /// How far an output may be off: as published, and as shipped (in 8 bits where files must be small).
  struct Tolerance {
    /// Of any number, with weights as published.
    let published: Float
    /// Mean of all pictures, with the shipped weights; of each it is at most twice that.
    let shipped: Float
  }

  static let tolerances: [String: [String: Tolerance]] = [
    // Pixels of 224; logits.
    "pose-detector": [
      "boxes": Tolerance(published: 0.01, shipped: 3), "scores": Tolerance(published: 0.001, shipped: 0.3),
    ],
    // Pixels of 256; a probability; metres.
    "pose-landmarks": [
      "landmarks": Tolerance(published: 0.01, shipped: 1), "presence": Tolerance(published: 0.001, shipped: 0.1),
      "world": Tolerance(published: 0.001, shipped: 0.03),
    ],
    // Pixels of 128; logits.
    "face-detector": [
      "boxes": Tolerance(published: 0.01, shipped: 0.01), "scores": Tolerance(published: 0.001, shipped: 0.001),
    ],
    // Pixels of 192; a logit.
    "face-landmarks": [
      "landmarks": Tolerance(published: 0.01, shipped: 0.3), "presence": Tolerance(published: 0.001, shipped: 0.3),
    ],
    "expression-high": ["probabilities": Tolerance(published: 0.001, shipped: 0.0001)],
    "expression-medium": ["probabilities": Tolerance(published: 0.001, shipped: 0.0001)],
  ]

  @Test(arguments: GraphFixtures.names)
  func `shipped graphs answer as the reference`(name: String) throws {
    var means: [String: [Float]] = [:]
    try compare(name, GraphFixtures.weights(name)) { picture in
      for (output, errors) in picture.errors where picture.hasSubject || ["scores", "presence"].contains(output) {
        let mean = errors.reduce(0, +) / Float(errors.count)
        let tolerance = try #require(Self.tolerances[name]?[output])
        #expect(mean <= 2 * tolerance.shipped, "picture \(picture.index), \(output): off by \(mean)")
        means[output, default: []].append(mean)
      }
    }
    for (output, means) in means {
      let tolerance = try #require(Self.tolerances[name]?[output])
      #expect(means.reduce(0, +) / Float(means.count) <= tolerance.shipped, "\(output): off by \(means)")
    }
  }

  @Test(.enabled(if: GraphFixtures.unquantizedModels != nil), arguments: GraphFixtures.names)
  func `weights as published answer as the reference`(name: String) throws {
    let folder = try #require(GraphFixtures.unquantizedModels)
    try compare(name, GraphFixtures.weights(name, in: folder)) { picture in
      for (output, errors) in picture.errors {
        let worst = errors.max() ?? 0
        let tolerance = try #require(Self.tolerances[name]?[output])
        #expect(worst <= tolerance.published, "picture \(picture.index), \(output): off by \(worst)")
      }
    }
  }

  private struct ComparedPicture {
    let index: Int
    /// Whether the reference saw what the graph looks for; without it places mean nothing.
    let hasSubject: Bool
    /// Of every number that was kept, by output; of landmarks of a pose x and y of the 33 that are given out.
    let errors: [String: [Float]]
  }

  private func compare(_ name: String, _ weights: GGUFWeights, _ check: (ComparedPicture) throws -> Void) throws {
    let graph = try weights.graph()
    let executor = try GraphExecutor(graph, constants: weights)
    let golden = try GraphFixtures.golden(name)
    #expect(golden.cases.count >= 20)
    for (index, (crop, answers)) in zip(golden.crops, golden.cases).enumerated() {
      let outputs = graph.joined(try executor.run([try GraphFixtures.input(crop, golden, for: graph)]))
      #expect(Set(outputs.keys) == Set(answers.map(\.output)))
      var errors: [String: [Float]] = [:]
      var hasSubject = true
      for answer in answers {
        let numbers = try #require(outputs[answer.output])
        errors[answer.output] = zip(answer.indices, answer.values).compactMap { place, value in
          let isPlace = place < 165 && place % 5 < 2
          return name == "pose-landmarks" && answer.output == "landmarks" && !isPlace
            ? nil : abs(numbers[place] - value)
        }
        if let score = answer.values.max(), ["scores", "presence"].contains(answer.output) {
          hasSubject = score > (name == "pose-landmarks" ? 0.5 : 0)  // a probability; logits
        }
      }
      try check(ComparedPicture(index: index, hasSubject: hasSubject, errors: errors))
    }
  }

  /// The whole of two small graphs, so that no operator is right only alone.
  @Test(arguments: ["expression-medium", "face-detector"])
  func `executor and reference agree on whole graphs`(name: String) throws {
    let weights = try GraphFixtures.weights(name)
    let graph = try weights.graph()
    let golden = try GraphFixtures.golden(name)
    let input = try GraphFixtures.input(golden.crops[6], golden, for: graph)
    let expected = try ReferenceInterpreter(graph, constants: weights).run([input])
    for threads in [1, 2] {
      let results = try GraphExecutor(graph, constants: weights, threads: threads).run([input])
      for (result, numbers) in zip(results, expected) {
        #expect(zip(result, numbers).allSatisfy { abs($0 - $1) <= 1e-4 * max(1, abs($1)) })
      }
    }
  }

  @Test func `numbers that are no picture are refused`() throws {
    let weights = try GraphFixtures.weights("expression-medium")
    let executor = try GraphExecutor(try weights.graph(), constants: weights)
    let count = executor.graph.inputs[0].shape.count
    let good = [Float](repeating: 0, count: count)
    for wrong in [Float.nan, .infinity, -.infinity, 1.5, -1.5] {
      var values = good
      values[count / 2] = wrong
      #expect(throws: ClassifierError.self) { try executor.run([values]) }
    }
    #expect(throws: ClassifierError.self) { try executor.run([]) }
    #expect(throws: ClassifierError.self) { try executor.run([[]]) }
    #expect(throws: ClassifierError.self) { try executor.run([good + [0]]) }
    #expect(throws: ClassifierError.self) { try executor.run([good, good]) }
    let result = try executor.run([good])
    #expect(abs(result[0].reduce(0, +) - 1) < 1e-5)
  }
}
