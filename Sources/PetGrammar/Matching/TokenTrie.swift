// SPDX-License-Identifier: Apache-2.0
/// All prefixes of all tokens, each once, in depth-first order.
struct TokenTrie: Sendable {
  /// Per node: its last byte, its length (from 1), and the node after all that it begins.
  private(set) var bytes: [UInt8] = []
  private(set) var lengths: [UInt16] = []
  private(set) var ends: [Int32] = []
  /// The tokens that are node i: `tokens[firstTokens[i]..<firstTokens[i + 1]]`.
  private(set) var firstTokens: [Int32] = []
  private(set) var tokens: [Int32] = []

  var count: Int { bytes.count }

  init(bytes text: [UInt8], starts: [UInt32]) {
    let order = (0..<starts.count - 1).filter { starts[$0] < starts[$0 + 1] }.sorted { a, b in
      text[Int(starts[a])..<Int(starts[a + 1])].lexicographicallyPrecedes(text[Int(starts[b])..<Int(starts[b + 1])])
    }
    var path: [Int] = []
    var previous: ArraySlice<UInt8> = []
    for token in order {
      let token = (id: token, bytes: text[Int(starts[token])..<Int(starts[token + 1])])
      var common = 0
      while common < min(previous.count, token.bytes.count),
        previous[previous.startIndex + common] == token.bytes[token.bytes.startIndex + common]
      {
        common += 1
      }
      while path.count > common, let node = path.popLast() { ends[node] = Int32(bytes.count) }
      for byte in token.bytes.dropFirst(common) {
        path.append(bytes.count)
        bytes.append(byte)
        lengths.append(UInt16(path.count))
        ends.append(0)
        firstTokens.append(Int32(tokens.count))
      }
      tokens.append(Int32(token.id))
      previous = token.bytes
    }
    for node in path { ends[node] = Int32(bytes.count) }
    firstTokens.append(Int32(tokens.count))
  }
}
