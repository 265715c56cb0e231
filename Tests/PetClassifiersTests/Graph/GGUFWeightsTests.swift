// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PetInference
import SeededGenerator
import Testing

import PetClassifiers
import PetFiles

/// Tensors of the shipped files, and files that say of them what is not so.
struct GGUFWeightsTests {
  @Test(arguments: GraphFixtures.names)
  func `every constant is in its file and finite`(name: String) throws {
    let weights = try GraphFixtures.weights(name)
    for constant in try weights.graph().constants {
      let values = try weights.floats(constant.name, count: constant.shape.count)
      #expect(values.count == constant.shape.count && values.areFinite)
    }
  }

  @Test func `zeros that are left out come back`() throws {
    let weights = try GraphFixtures.weights("pose-detector")
    let constants = try weights.graph().constants
    let zeros = try constants.map { constant in
      try weights.floats(constant.name, count: constant.shape.count).filter { $0 == 0 }.count
    }
    // 0.92 million of 2.75 million weights of convolutions are not zero as published.
    #expect((1_700_000...2_200_000).contains(zeros.reduce(0, +)))
  }

  @Test func `another number of elements is refused`() throws {
    for name in ["pose-detector", "expression-medium"] {
      let weights = try GraphFixtures.weights(name)
      let constant = try #require(try weights.graph().constants.first { $0.shape.count > 10_000 })
      // A mask says how many elements there are up to the next eight.
      for count in [0, 1, constant.shape.count - 8, constant.shape.count + 8, 1 << 40] {
        #expect(throws: ClassifierError.self) { try weights.floats(constant.name, count: count) }
      }
      #expect(throws: ClassifierError.self) { try weights.floats("no such tensor", count: 1) }
    }
  }

  /// Bytes of the header are changed at random: the file is refused or gives a graph, and nothing traps.
  @Test func `changed headers never trap`() throws {
    let url = GraphFixtures.models.appending(path: "expression-medium.gguf")
    let bytes = try Array(Data(contentsOf: url))
    var random = SeededGenerator(seed: 3)
    for _ in 0..<200 {
      var changed = bytes
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        changed[Int.random(in: 0..<12_000, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      try changed.withUnsafeBytes { raw in
        do {
          let weights = try GGUFWeights(GGUFFile(mapping: MappedFile(permanent: raw, named: "changed")))
          _ = try GraphExecutor(weights.graph(), constants: weights)
        } catch is ClassifierError {
        } catch is GGUFError {
        }
      }
    }
  }
}
