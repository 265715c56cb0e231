// SPDX-License-Identifier: Apache-2.0
import Foundation
import PetInference
import Testing

@Suite struct QuantizationMixTests {
  /// What llama.cpp made of a model (`Goldens/make_mix_goldens.py`).
  struct Golden: Decodable, CustomTestStringConvertible {
    let mix: String
    let model: String
    let fileType: UInt32
    let tensors: [Tensor]

    var testDescription: String { "\(mix), \(model)" }

    enum CodingKeys: String, CodingKey {
      case mix, model, tensors
      case fileType = "file_type"
    }

    /// [name, columns, type]
    struct Tensor: Decodable {
      let name: String
      let columns: Int
      let type: String

      init(from decoder: any Decoder) throws {
        var fields = try decoder.unkeyedContainer()
        name = try fields.decode(String.self)
        columns = try fields.decode(Int.self)
        type = try fields.decode(String.self)
      }
    }
  }

  static let goldens: [Golden] = {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Goldens")
    guard let data = try? Data(contentsOf: folder.appending(path: "mixes.json")) else { return [] }
    return (try? JSONDecoder().decode([Golden].self, from: data)) ?? []
  }()

  @Test func everyMixHasGoldens() {
    for mix in QuantizationMix.allCases { #expect(Self.goldens.count { $0.mix == mix.name } >= 5) }
  }

  @Test(arguments: goldens)
  func choosesAsLlamaCppDoes(_ golden: Golden) throws {
    let target = try #require(QuantizationTarget(name: golden.mix))
    let outline = ModelOutline(tensorNames: golden.tensors.map(\.name))
    let rules = TensorTypeRules(target)
    for tensor in golden.tensors {
      let decision = rules.decide(tensor.name, dimensions: [tensor.columns, 2], in: outline)
      #expect(decision.type.name == tensor.type, "\(tensor.name), rows of \(tensor.columns)")
    }
    #expect(target == QuantizationMix(rawValue: golden.mix).map { .mix($0) })
    #expect(QuantizationMix(rawValue: golden.mix)?.fileType == golden.fileType)
  }

  @Test func overridesAndVectorsComeFirst() {
    let rules = TensorTypeRules(.mix(.q4_K_M), overrides: [.init(pattern: "*.ffn_down.weight", type: .q8_0)])
    let outline = ModelOutline(tensorNames: ["token_embd.weight", "blk.0.ffn_down.weight", "blk.0.attn_v.weight"])
    #expect(outline.layers == 1 && !outline.hasOutput)
    #expect(rules.decide("blk.0.ffn_down.weight", dimensions: [256, 2], in: outline).type == .q8_0)
    #expect(rules.decide("blk.0.attn_v.weight", dimensions: [256, 2], in: outline).type == .q6_K)
    #expect(rules.decide("blk.0.attn_norm.weight", dimensions: [256], in: outline).type == .f32)
  }

  /// Names that only look like those of layers.
  @Test(arguments: [
    "blk.", "blk..", "blk.x.attn_v.weight", "blk.-1.attn_v.weight", "blk.99999999999999999999.attn_v.weight",
  ])
  func oddNamesGetTheStandard(_ name: String) {
    let outline = ModelOutline(tensorNames: [name])
    #expect(outline.layers == 0)
    for mix in QuantizationMix.allCases { #expect(mix.type(of: name, in: outline) == mix.standard) }
    let far = "blk.9223372036854775807.attn_v.weight"
    _ = QuantizationMix.q4_K_M.type(of: far, in: ModelOutline(tensorNames: [far]))
  }
}
