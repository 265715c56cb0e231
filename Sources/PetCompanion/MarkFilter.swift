/// Takes the marks of a pet's form, `{emotion; action, action}`, out of a streamed text, wherever they stand. Braces that are no
/// mark are text. Text is held back only as long as it may become a mark, with the white space before it.
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
        if held[end] == Self.closing, note(held[(brace + 1)..<end]) {
          start = end + 1
        } else {
          shown += held[start...brace]
          start = brace + 1
        }
      } else if inner.count > Self.longestMark {
        shown += held[start...brace]
        start = brace + 1
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
    if let brace = held.firstIndex(of: Self.opening), Self.mayBecomeMark(held[(brace + 1)...]) { return "" }
    return String(decoding: held, as: UTF8.self)
  }

  /// Notes what a mark says.
  /// - Returns: whether it is one: its emotion is known, or one of its actions.
  private mutating func note(_ inner: ArraySlice<UInt8>) -> Bool {
    let parts = inner.split(separator: UInt8(ascii: ";"), maxSplits: 1, omittingEmptySubsequences: false)
    let emotion = parts.first.flatMap { Emotion(rawValue: Self.trimmed($0)) }
    let words = parts.count == 2 ? parts[1].split(separator: UInt8(ascii: ",")) : []
    let actions = words.compactMap { PetAction(rawValue: Self.trimmed($0)) }.prefix(2)
    guard emotion != nil || !actions.isEmpty else { return false }
    self.emotion = emotion ?? self.emotion
    if !actions.isEmpty { self.actions = Array(actions) }
    return true
  }

  private static let opening = UInt8(ascii: "{")
  private static let closing = UInt8(ascii: "}")

  /// Whether the beginning of a mark's inside is one that can end as a mark.
  private static func mayBecomeMark(_ inner: ArraySlice<UInt8>) -> Bool {
    let parts = inner.split(separator: UInt8(ascii: ";"), maxSplits: 1, omittingEmptySubsequences: false)
    let word = parts.first.map { trimmed($0) } ?? ""
    return parts.count == 2
      ? Emotion(rawValue: word) != nil : Emotion.allCases.contains { $0.rawValue.hasPrefix(word) }
  }

  private static func mayBeInMark(_ byte: UInt8) -> Bool {
    (0x61...0x7A).contains(byte) || byte == 0x20 || " _-;,".utf8.contains(byte)
  }

  private func startOfSpace(before end: Int, from start: Int) -> Int {
    var end = end
    while end > start, Self.isSpace(held[end - 1]) { end -= 1 }
    return end
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

  private static func trimmed(_ bytes: ArraySlice<UInt8>) -> String {
    let start = bytes.drop(while: isSpace)
    return String(decoding: start.reversed().drop(while: isSpace).reversed(), as: UTF8.self)
  }
}
