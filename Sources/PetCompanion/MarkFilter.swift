// SPDX-License-Identifier: Apache-2.0
import PetText

/// Takes the marks of a pet's form, `{emotion; action, action}`, out of a streamed text, wherever they stand. Braces that are no
/// mark are text; of a mark that is not closed its emotion and actions go, and words behind them stay. Text is held back only as
/// long as it may become a mark, with the white space before it.
public struct MarkFilter: Sendable {
  /// Of the last mark that named one.
  public private(set) var emotion: Emotion?
  /// At most two; of the last mark that named any.
  public private(set) var actions: [PetAction] = []

  /// Longer than any mark of the closed sets.
  private static let longestMark = 96

  private var held: [UInt8] = []

  public init() {}

  /// The text that may be shown after `piece` has come. O(piece) but for what is held.
  public mutating func append(_ piece: String) -> String {
    held += piece.utf8
    var shown: [UInt8] = []
    var start = 0
    while let brace = held[start...].firstIndex(of: Self.opening) {
      let space = startOfSpace(before: brace, from: start)
      shown += held[start..<space]
      start = space
      let inner = held[(brace + 1)...]
      if let end = inner.firstIndex(where: { !Self.mayBeInMark($0) }) {
        let mark = inner[..<end]
        if held[end] == Self.closing, mark.count <= Self.longestMark, note(mark) {
          start = end + 1
        } else {
          start = skip(mark, after: brace, from: start, &shown)
        }
      } else if inner.count > Self.longestMark {
        start = skip(inner, after: brace, from: start, &shown)
      } else {
        held.removeSubrange(..<start)
        return String(decoding: shown, as: UTF8.self)
      }
    }
    let end = startOfSpace(before: held.count, from: start)
    shown += held[start..<end]
    held.removeSubrange(..<end)
    return String(decoding: shown, as: UTF8.self)
  }

  /// What was held back, when no more text comes, unless it is a mark that was cut off.
  public mutating func flush() -> String {
    defer { held = [] }
    guard let brace = held.firstIndex(of: Self.opening) else { return String(decoding: held, as: UTF8.self) }
    let inner = held[(brace + 1)...]
    guard !Self.isCutMark(inner) else { return "" }
    var shown: [UInt8] = []
    let start = skip(inner, after: brace, from: 0, &shown)
    return String(decoding: shown + held[start...], as: UTF8.self)
  }

  /// Shows the brace that begins no whole mark, or leaves out what of a mark follows it.
  /// - Parameter start: of the white space before the brace.
  /// - Returns: where the text goes on.
  private mutating func skip(
    _ inner: ArraySlice<UInt8>, after brace: Int, from start: Int, _ shown: inout [UInt8]
  ) -> Int {
    guard let open = OpenMark(inner) else {
      shown += held[start...brace]
      return brace + 1
    }
    (emotion, actions) = (open.emotion, open.actions.isEmpty ? actions : open.actions)
    // Words that follow without a space keep the one before the mark.
    if open.end < held.count, !held[open.end].isASCIISpace { shown += held[start..<brace] }
    return open.end
  }

  /// What of a mark stands behind its brace where it was not closed: an emotion with its semicolon, and actions.
  private struct OpenMark {
    let emotion: Emotion
    private(set) var actions: [PetAction] = []
    /// Past the last of them, with its comma.
    private(set) var end: Int

    init?(_ inner: ArraySlice<UInt8>) {
      guard let semicolon = inner.firstIndex(of: UInt8(ascii: ";")),
        let emotion = Emotion(rawValue: inner[..<semicolon].trimmedText)
      else { return nil }
      self.emotion = emotion
      end = semicolon + 1
      while true {
        let word = inner[end...].drop(while: \.isASCIISpace).prefix {
          $0.isASCIISmall || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-")
        }
        guard let action = PetAction(rawValue: String(decoding: word, as: UTF8.self)) else { return }
        if actions.count < 2 { actions.append(action) }
        end = word.endIndex
        let rest = inner[end...].drop(while: \.isASCIISpace)
        guard rest.first == UInt8(ascii: ",") else { return }
        end = rest.startIndex + 1
      }
    }
  }

  /// Notes what a mark says.
  /// - Returns: whether it is one: its emotion is known, or one of its actions.
  private mutating func note(_ inner: ArraySlice<UInt8>) -> Bool {
    let parts = inner.split(separator: UInt8(ascii: ";"), maxSplits: 1, omittingEmptySubsequences: false)
    let emotion = parts.first.flatMap { Emotion(rawValue: $0.trimmedText) }
    let words = parts.count == 2 ? parts[1].split(separator: UInt8(ascii: ",")) : []
    let actions = words.compactMap { PetAction(rawValue: $0.trimmedText) }.prefix(2)
    guard emotion != nil || !actions.isEmpty else { return false }
    self.emotion = emotion ?? self.emotion
    if !actions.isEmpty { self.actions = Array(actions) }
    return true
  }

  private static let opening = UInt8(ascii: "{")
  private static let closing = UInt8(ascii: "}")

  /// Whether a mark's inside is one that was cut off: more of it could still make a mark.
  private static func isCutMark(_ inner: ArraySlice<UInt8>) -> Bool {
    guard inner.contains(UInt8(ascii: ";")) else {
      let word = inner.trimmedText
      return Emotion.allCases.contains { $0.rawValue.hasPrefix(word) }
    }
    guard let open = OpenMark(inner) else { return false }
    let word = inner[open.end...].trimmedText
    return PetAction.allCases.contains { $0.rawValue.hasPrefix(word) }
  }

  private static func mayBeInMark(_ byte: UInt8) -> Bool {
    byte.isASCIISmall || " _-;,".utf8.contains(byte)
  }

  private func startOfSpace(before end: Int, from start: Int) -> Int {
    var end = end
    while end > start, held[end - 1].isASCIISpace { end -= 1 }
    return end
  }
}
