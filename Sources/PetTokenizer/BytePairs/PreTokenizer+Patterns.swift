// SPDX-License-Identifier: Apache-2.0
/// `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`
enum GPT2Pattern {
  /// - Parameter digitsStandAlone: the text is first cut around every number character.
  @inline(__always)
  static func endOfWord(in reader: CharacterReader, from start: Int, digitsStandAlone: Bool) -> Int {
    let contraction = reader.contractionLength(at: start, ignoringCase: false)
    if contraction > 0 { return start + contraction }
    let first = reader.character(at: start)
    var position = start + first.length
    var kind = first.kind
    if kind == .space {
      // ` ?` takes only U+0020, and only before something that is not a space.
      guard reader.byte(at: start) == 0x20, position < reader.count else {
        return reader.endOfSpaces(from: start, treatingAsEnd: digitsStandAlone ? .number : nil)
      }
      let following = reader.character(at: position)
      guard following.kind != .space, !(digitsStandAlone && following.kind == .number) else {
        return reader.endOfSpaces(from: start, treatingAsEnd: digitsStandAlone ? .number : nil)
      }
      position += following.length
      kind = following.kind
    }
    if digitsStandAlone, kind == .number { return position }
    return reader.endOfRun(of: kind, from: position)
  }
}

/// `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,n}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
enum Llama3Pattern {
  @inline(__always)
  static func endOfWord(in reader: CharacterReader, from start: Int, longestNumber: Int) -> Int {
    let contraction = reader.contractionLength(at: start, ignoringCase: true)
    if contraction > 0 { return start + contraction }
    let first = reader.character(at: start)
    let second = start + first.length
    switch first.kind {
    case .letter:
      return reader.endOfRun(of: .letter, from: second)
    case .number:
      var position = second
      var taken = 1
      while taken < longestNumber, position < reader.count {
        let character = reader.character(at: position)
        guard character.kind == .number else { break }
        position += character.length
        taken += 1
      }
      return position
    case .other:
      if second < reader.count, reader.character(at: second).kind == .letter {
        return reader.endOfRun(of: .letter, from: second)
      }
      return endOfSymbols(in: reader, from: second)
    case .space:
      let byte = reader.byte(at: start)
      if second < reader.count {
        let following = reader.character(at: second).kind
        if following == .letter, byte != 0x0D, byte != 0x0A { return reader.endOfRun(of: .letter, from: second) }
        if following == .other, byte == 0x20 { return endOfSymbols(in: reader, from: second) }
      }
      return endOfLinesOrSpaces(in: reader, from: start)
    }
  }

  /// The rest of `[^\s\p{L}\p{N}]+[\r\n]*`.
  private static func endOfSymbols(in reader: CharacterReader, from position: Int) -> Int {
    var position = reader.endOfRun(of: .other, from: position)
    while position < reader.count, isLineBreak(reader.byte(at: position)) { position += 1 }
    return position
  }

  /// `\s*[\r\n]+`, else `\s+(?!\S)|\s+`: a run of spaces through its last line break, if it has one.
  private static func endOfLinesOrSpaces(in reader: CharacterReader, from start: Int) -> Int {
    let end = reader.endOfRun(of: .space, from: start)
    var lastBreak = end
    while lastBreak > start, !isLineBreak(reader.byte(at: lastBreak - 1)) { lastBreak -= 1 }
    return lastBreak > start ? lastBreak : reader.endOfSpaces(from: start)
  }

  @inline(__always)
  private static func isLineBreak(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }
}
