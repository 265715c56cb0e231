// SPDX-License-Identifier: Apache-2.0
import Glibc
import PetInference

/// A byte-level vocabulary as large ones are published: byte tokens, then one token for each merge, as long as those of GPT-2 and most
/// of them starting with a space.
struct SyntheticVocabulary {
  private var tokens: [[UInt8]]
  private var merges: [[UInt8]] = []

  init(tokens count: Int) {
    let alphabet = Self.alphabet
    tokens = alphabet.map { Array(String($0).utf8) }
    let space = tokens[0x20]
    // Frequent letters more often.
    var usable = Array("etaoinshrdlucmfwypvbgkjqxz".utf8).flatMap { Array(repeating: [$0], count: 3) }
    usable += Array(repeating: space, count: 40)
    var known = Set(tokens)
    var state: UInt64 = 88_172_645_463_325_252
    func random(below bound: Int) -> Int {
      // Xorshift (Marsaglia 2003).
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return Int(state >> 1) % bound
    }
    while tokens.count < count {
      let left = usable[random(below: 1 + random(below: usable.count))]
      let right = usable[random(below: 1 + random(below: usable.count))]
      guard left.count + right.count <= 15, !right.starts(with: space), known.insert(left + right).inserted else {
        continue
      }
      merges.append(left + [0x20] + right)
      tokens.append(left + right)
      usable.append(left + right)
    }
  }

  /// Writes a model file without tensors; returns its path.
  func write() throws -> String {
    let path = (environment("TMPDIR") ?? "/tmp") + "/pet-vocabulary-\(getpid()).gguf"
    let writer = try GGUFWriter(
      path: path,
      metadata: [
        ("general.architecture", .text("llama")), ("tokenizer.ggml.model", .text("gpt2")),
        ("tokenizer.ggml.pre", .text("qwen2")), ("tokenizer.ggml.tokens", .texts(tokens)),
        ("tokenizer.ggml.token_type", .int32s(tokens.map { _ in 1 })), ("tokenizer.ggml.merges", .texts(merges)),
      ],
      tensors: [])
    try writer.finish()
    return path
  }

  /// GPT-2's characters for the 256 bytes.
  private static var alphabet: [Character] {
    var next: UInt32 = 0x100
    return (UInt32(0)..<256).compactMap { byte in
      if (0x21...0x7E).contains(byte) || (0xA1...0xAC).contains(byte) || byte >= 0xAE {
        return Unicode.Scalar(byte).map { Character($0) }
      }
      defer { next += 1 }
      return Unicode.Scalar(next).map { Character($0) }
    }
  }
}
