// SPDX-License-Identifier: Apache-2.0
import PetText

/// Reads a reply as it is generated: the text is handed on at once, the closing `{emotion; action, action}` never is.
///
/// What may turn out to be the beginning of the closing braces is held back until it is clear.
package struct ReplyReader: Sendable {
  /// Longer than any pair of braces that the closed sets allow; what is longer is text.
  private static let longestMark = 96

  private var shown: [UInt8] = []
  private var held: [UInt8] = []

  package init() {}

  /// The text that may be shown after `piece` has come.
  package mutating func append(_ piece: String) -> String {
    held += piece.utf8
    let end = Self.startOfMark(in: held)
    let clear = held[..<end]
    shown += clear
    defer { held.removeSubrange(..<end) }
    return String(decoding: clear, as: UTF8.self)
  }

  /// The whole reply, when nothing more comes. Braces that are not closed, or name nothing known, are dropped as well: no mark
  /// is ever shown.
  package func finish() -> Reply {
    let text = String(decoding: shown, as: UTF8.self)
    let mark = held.drop(while: \.isASCIISpace)
    guard mark.first == UInt8(ascii: "{") else { return Reply(text: text) }
    var inner = mark.dropFirst()
    while let last = inner.last, last.isASCIISpace { inner.removeLast() }
    let isClosed = inner.last == UInt8(ascii: "}")
    if isClosed { inner.removeLast() }
    let parts = inner.split(separator: UInt8(ascii: ";"), maxSplits: 1, omittingEmptySubsequences: false).map(
      \.trimmedText)
    let emotion = parts.first.flatMap(Emotion.init(rawValue:))
    let words = parts.count == 2 ? parts[1].split(separator: ",", omittingEmptySubsequences: false) : []
    let actions = words.map { PetAction(rawValue: $0.utf8.trimmedText) }
    let isWellFormed = isClosed && emotion != nil && actions.count <= 2 && !actions.contains(nil) && !text.isEmpty
    return Reply(
      text: text, emotion: emotion, actions: Array(actions.compactMap { $0 }.prefix(2)), isWellFormed: isWellFormed)
  }

  /// Where what may be the closing mark, with the white space before it, begins.
  private static func startOfMark(in bytes: [UInt8]) -> Int {
    var end = bytes.count
    if let brace = bytes.lastIndex(of: UInt8(ascii: "{")) {
      let rest = bytes[(brace + 1)...]
      let close = rest.firstIndex(of: UInt8(ascii: "}"))
      let isLast = close.map { bytes[($0 + 1)...].allSatisfy(isSpaceOrClosing) } ?? (rest.count <= longestMark)
      if isLast { end = brace }
    }
    while end > 0, bytes[end - 1].isASCIISpace { end -= 1 }
    return end
  }

  /// What a model that has lost count of its brackets may write after the mark.
  private static func isSpaceOrClosing(_ byte: UInt8) -> Bool { byte.isASCIISpace || ")]}".utf8.contains(byte) }
}
