// SPDX-License-Identifier: Apache-2.0
import PetInference
import Testing

@Suite struct TensorTypeRulesTests {
  @Test(arguments: [
    ("token_embd.weight", "token_embd.weight", true), ("token_embd.weight", "token_embd.weights", false),
    ("token_embd.weight", "xtoken_embd.weight", false), ("blk.*.ffn_down.weight", "blk.11.ffn_down.weight", true),
    ("blk.*.ffn_down.weight", "blk.11.ffn_up.weight", false), ("blk.?.attn_q.weight", "blk.3.attn_q.weight", true),
    ("blk.?.attn_q.weight", "blk.13.attn_q.weight", false), ("*", "a", true), ("*", "", true), ("**", "a", true),
    ("", "", true), ("", "a", false), ("a*", "a", true), ("*a", "ba", true), ("*ab", "aab", true),
    ("*ab*ab", "abxabab", true), ("*ab*ab", "abxa", false), ("?", "", false), ("a*b?d", "axxbcd", true),
    ("blk.*.weight", "blk.0.weight.bias", false),
  ])
  func matches(_ pattern: String, _ name: String, _ expected: Bool) {
    #expect(TensorTypeRule(pattern: pattern, type: .f16).matches(name) == expected)
  }

  @Test(.timeLimit(.minutes(1)))
  func aPatternOfManyStarsIsNoTrap() {
    let pattern = String(repeating: "*a", count: 300) + "b"
    #expect(!TensorTypeRule(pattern: pattern, type: .f16).matches(String(repeating: "a", count: 5000)))
  }

  @Test func readsRules() {
    #expect(TensorTypeRule(text: "a=b=q8_0") == TensorTypeRule(pattern: "a=b", type: .q8_0))
    for text in ["", "=", "a", "a=", "=Q8_0", "a=Q4_K_M", "a=Q8_0 "] {
      #expect(TensorTypeRule(text: text) == nil, "\(text)")
    }
  }

  @Test func theLastRuleThatMatchesCounts() {
    let rules = TensorTypeRules(
      .q4_0,
      overrides: [
        .init(pattern: "blk.0.attn_q.weight", type: .f32), .init(pattern: "blk.*", type: .q8_0),
        .init(pattern: "*.ffn_up.weight", type: .q5_1),
      ])
    func type(_ name: String) -> QuantizationType { rules.decide(name, dimensions: [64, 2]).type }
    #expect(type("token_embd.weight") == .q4_0)
    #expect(type("blk.0.attn_q.weight") == .q8_0)
    #expect(type("blk.0.ffn_up.weight") == .q5_1)
  }

  @Test func vectorsStayF32AndOddRowsBecomeF16() {
    let rules = TensorTypeRules(.q4_1, overrides: [.init(pattern: "half", type: .bf16)])
    #expect(rules.decide("a", dimensions: [64]) == .init(type: .f32, refused: nil))
    #expect(rules.decide("half", dimensions: [64, 1]) == .init(type: .f32, refused: nil))
    #expect(rules.decide("a", dimensions: [48, 2]) == .init(type: .f16, refused: .q4_1))
    #expect(rules.decide("half", dimensions: [48, 2]) == .init(type: .bf16, refused: nil))
    #expect(rules.decide("a", dimensions: [32, 2, 3]) == .init(type: .q4_1, refused: nil))
  }
}
