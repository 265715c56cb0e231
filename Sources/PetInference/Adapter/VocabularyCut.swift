// SPDX-License-Identifier: Apache-2.0
/// A byte-level vocabulary of which only some rows stay: what an adapter was trained on that does without most of its base's tokens.
///
/// Which those are stands in the adapter, under ``key``, as numbers of the base's rows in ascending order. A text all of whose tokens
/// stay is encoded as before, since merges keep their order; others take more and shorter tokens. Matrices keep their type: rows are
/// whole blocks.
package struct VocabularyCut: Sendable {
  package static let key = "adapter.vocabulary_rows"
  private static let prefix = "tokenizer.ggml."
  /// Matrices with a row for each token.
  private static let tensors: Set = ["token_embd.weight", "output.weight"]

  /// Neighbours that stay, in ascending order.
  private let runs: [Range<Int>]
  private let count: Int
  /// What the keys of the vocabulary become.
  package let metadata: [(key: String, value: GGUFValue)]

  /// Nil for an adapter that leaves the vocabulary as it is.
  /// - Throws: `AdapterError`; `GGUFError` where the base has keys of another type than they must have.
  /// - Complexity: O(bytes of the base's vocabulary).
  init?(_ adapter: GGUFFile, base: GGUFFile) throws {
    guard adapter.metadata[Self.key] != nil else { return nil }
    let rows = try adapter.int32s(Self.key)?.map(Int.init) ?? []
    func refuse(_ fault: String) -> AdapterError { adapter.refused(.vocabulary(fault)) }
    guard try base.string(Self.prefix + "model") == "gpt2", base.metadata[Self.prefix + "scores"] == nil,
      let tokens = try base.strings(Self.prefix + "tokens"), let merges = try base.strings(Self.prefix + "merges")
    else { throw refuse("the model's vocabulary is not one of merged bytes") }
    guard let last = rows.last, rows[0] >= 0, zip(rows, rows.dropFirst()).allSatisfy({ $0 < $1 }), last < tokens.count
    else { throw refuse("its rows do not ascend within the model's \(tokens.count)") }
    for name in Self.tensors where adapter.tensors[name + ".lora_a"] != nil { throw refuse("\(name) changes besides") }
    for name in Self.tensors {
      guard let matrix = base.tensors[name] else { continue }
      guard matrix.dimensions.count == 2, matrix.dimensions[1] == tokens.count else {
        throw refuse("\(name) has not a row for each of \(tokens.count) tokens")
      }
    }

    let kept = rows.map { tokens[$0] }
    let known = Set(kept)
    var keptMerges: [[UInt8]] = []
    for index in 0..<merges.count {
      let halves = merges[index].split(separator: UInt8(ascii: " "), maxSplits: 1)
      guard halves.count == 2, known.contains(Array(halves[0] + halves[1])) else { continue }
      guard halves.allSatisfy({ known.contains(Array($0)) }) else {
        throw refuse("a token stays of which a part goes: \(String(decoding: halves[0] + halves[1], as: UTF8.self))")
      }
      keptMerges.append(merges[index])
    }
    var metadata: [(key: String, value: GGUFValue)] = [
      (Self.prefix + "tokens", .strings(GGUFStrings(kept))),
      (Self.prefix + "merges", .strings(GGUFStrings(keptMerges))),
    ]
    if let types = try base.int32s(Self.prefix + "token_type") {
      guard types.count == tokens.count else { throw refuse("the model has not a type for each token") }
      metadata.append((Self.prefix + "token_type", .int32s(rows.map { types[$0] })))
    }
    for key in base.metadataKeys where key.hasPrefix(Self.prefix) && key.hasSuffix("_token_id") {
      guard let old = try base.integer(key) else { continue }
      guard let new = rows.firstIndex(of: old) else { throw refuse("token \(old) goes, which \(key) names") }
      metadata.append((key, .uint32(UInt32(new))))
    }
    let size = "\(try base.architecture() ?? "").vocab_size"
    if base.metadata[size] != nil { metadata.append((size, .uint32(UInt32(rows.count)))) }
    self.metadata = metadata
    count = rows.count
    runs = rows.reduce(into: []) { runs, row in
      if let last = runs.last, last.upperBound == row {
        runs[runs.count - 1] = last.lowerBound..<row + 1
      } else {
        runs.append(row..<row + 1)
      }
    }
  }

  /// What stays of a tensor of the base.
  /// - Returns: its dimensions then, and the pieces that make it, in order.
  package func apply(to tensor: GGUFTensor) -> (dimensions: [Int], pieces: [GGUFTensor]) {
    guard Self.tensors.contains(tensor.name) else { return (tensor.dimensions, [tensor]) }
    return ([tensor.dimensions[0], count], runs.map(tensor.rows))
  }
}

extension GGUFTensor {
  /// Rows of a matrix, as a tensor of their own.
  fileprivate func rows(_ range: Range<Int>) -> GGUFTensor {
    let bytes = dimensions[0] / type.blockElements * type.blockBytes
    let start = self.bytes.lowerBound
    return GGUFTensor(
      name: name, dimensions: [dimensions[0], range.count], type: type,
      bytes: start + range.lowerBound * bytes..<start + range.upperBound * bytes)
  }
}
