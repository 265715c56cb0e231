// SPDX-License-Identifier: Apache-2.0
import PetLanguage
import PetText

/// A conversation that is written out as a text, of which the next line is to be written: "User: Hi!\nBot:", or the special
/// tokens of a chat template as text.
struct Transcript: Equatable {
  /// Lines of who spoke last, with what was answered, oldest first.
  private(set) var turns: [LanguageModelSession.Turn] = []
  /// What was said last.
  private(set) var message = ""

  /// How templates begin what a person says, then what others say, and what they end both with.
  private static let (openings, otherOpenings, endings) = (
    [
      "<|im_start|>user", "<|user|>", "<start_of_turn>user", "<|start_header_id|>user<|end_header_id|>", "[INST]",
    ].map { Array($0.utf8) },
    ["<|im_start|>", "<|assistant|>", "<|system|>", "<start_of_turn>", "<|start_header_id|>", "[/INST]"].map {
      Array($0.utf8)
    },
    ["<|im_end|>", "<|end|>", "<end_of_turn>", "<|eot_id|>", "<|endoftext|>", "</s>"].map { Array($0.utf8) }
  )
  /// Bytes of the end of a text that are looked at.
  private static let reach = 1 << 16
  /// Longer ones are sentences.
  private static let longestName = 32

  /// Nil for a text that is no conversation. O(characters).
  init?(_ text: String) {
    let bytes = Array(text.utf8.suffix(Self.reach))
    guard let parts = Self.templated(bytes) ?? Self.named(String(decoding: bytes, as: UTF8.self)) else { return nil }
    var lines: [(said: String, reply: String)] = []
    for part in parts {
      if !part.isPerson {
        if !lines.isEmpty { lines[lines.count - 1].reply += part.text }
      } else if lines.last?.reply == "" {
        // What was not answered is one with what follows.
        lines[lines.count - 1].said += "\n\(part.text)"
      } else {
        lines.append((part.text, ""))
      }
    }
    guard let last = lines.popLast() else { return nil }
    message = last.said
    turns = lines.map { .init(user: $0.said, reply: $0.reply) }
  }

  private typealias Part = (isPerson: Bool, text: String)

  private static func templated(_ bytes: [UInt8]) -> [Part]? {
    var parts: [Part] = []
    // What is being said, and from where; nil between an end and the next beginning.
    var open: (isPerson: Bool, start: Int)?
    func close(at end: Int) {
      guard let said = open else { return }
      parts.append((said.isPerson, String(decoding: bytes[said.start..<end], as: UTF8.self).trimmed))
      open = nil
    }
    var place = 0
    while place < bytes.count {
      guard bytes[place] == UInt8(ascii: "<") || bytes[place] == UInt8(ascii: "[") else {
        place += 1
        continue
      }
      let rest = bytes[place...]
      if let opening = openings.first(where: { rest.starts(with: $0) }) {
        close(at: place)
        place += opening.count
        open = (true, place)
      } else if let opening = otherOpenings.first(where: { rest.starts(with: $0) }) {
        close(at: place)
        place += opening.count
        open = (false, place)
      } else if let ending = endings.first(where: { rest.starts(with: $0) }) {
        close(at: place)
        place += ending.count
      } else {
        place += 1
      }
    }
    close(at: bytes.count)
    return parts.contains { $0.isPerson } ? parts : nil
  }

  /// Each line may begin with who speaks; the last is a name alone.
  private static func named(_ text: String) -> [Part]? {
    let lines = text.split(whereSeparator: \.isNewline).filter { !$0.allSatisfy(\.isWhitespace) }
    guard lines.count > 1, let cue = lines.last.flatMap(speaker), cue.rest.isEmpty else { return nil }
    var parts: [(name: String, text: String)] = []
    for line in lines.dropLast() {
      if let found = speaker(line) {
        parts.append((found.name, found.rest))
      } else if let last = parts.indices.last {
        parts[last].text += "\n\(line)"
      }
    }
    guard parts.contains(where: { $0.name != cue.name }) else { return nil }
    return parts.map { ($0.name != cue.name, $0.text) }
  }

  private static func speaker(_ line: Substring) -> (name: String, rest: String)? {
    guard let colon = line.firstIndex(of: ":") else { return nil }
    let name = line[..<colon].trimmed
    guard !name.isEmpty, name.utf8.count <= longestName, !name.contains(where: { ".,;?!".contains($0) }) else {
      return nil
    }
    return (name.lowercased(), line[line.index(after: colon)...].trimmed)
  }
}
