// SPDX-License-Identifier: Apache-2.0
import Testing
import PetCommandLine
import pet

@Suite("Text on its way to a terminal")
struct TerminalTextTests {
  @Test("no control character but line feed and tab gets through")
  func controls() {
    for value in (0..<0x20).map(UInt32.init) + (0x7F..<0xA0).map(UInt32.init) {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let clean = TerminalText.sanitize("a\(Character(scalar))b")
      if value == 0x09 || value == 0x0A {
        #expect(clean.unicodeScalars.contains(scalar))
      } else {
        #expect(!clean.unicodeScalars.contains(scalar))
        #expect(clean.unicodeScalars.count == 3)
      }
    }
  }

  @Test(
    "published tricks are shown, not obeyed",
    arguments: [
      ("\u{1B}]0;owned\u{7}", "␛]0;owned␇"), ("\u{1B}[2J", "␛[2J"), ("\u{9B}2J", "\u{FFFD}2J"),
      ("good\rbad", "good␍bad"), ("a\r\nb", "a␍\nb"), ("\u{7F}", "␡"),
      ("safe\u{202E}fdp.exe", "safe\u{FFFD}fdp.exe"), ("\u{2066}a\u{2069}", "\u{FFFD}a\u{FFFD}"),
    ])
  func tricks(text: String, expected: String) {
    #expect(TerminalText.sanitize(text) == expected)
  }

  @Test(
    "a name cannot forge a second row, hide or reorder in a line",
    arguments: [
      ("mine\npet-nano  low  here", "mine pet-nano low here"), ("a\u{2028}b\tc\u{85}d", "a b c d"),
      ("pet\u{200B}-nano\u{200D}", "pet\u{FFFD}-nano\u{FFFD}"), ("\u{200F}a\u{202E}b", "\u{FFFD}a\u{FFFD}b"),
      ("\u{FEFF}pet", "\u{FFFD}pet"), ("日本 🐱\u{200D}👤 می\u{200C}خواهم", "日本 🐱\u{200D}👤 می\u{200C}خواهم"), ("  ", ""),
      ("\u{1B}[2K", "␛[2K"),
    ])
  func line(text: String, expected: String) {
    #expect(Array(TerminalText.line(text).unicodeScalars) == Array(expected.unicodeScalars))
  }

  @Test("everything else is untouched", arguments: ["", "plain", "tab\tand\nline", "日本語 🐱‍👤 é שלום", "e\u{301}\u{200D}"])
  func untouched(text: String) {
    #expect(Array(TerminalText.sanitize(text).unicodeScalars) == Array(text.unicodeScalars))
  }
}

@Suite("Small pieces of the terminal")
struct TerminalPieceTests {
  @Test(
    "completion of commands",
    arguments: [
      ("/he", CommandCompletion.insert("lp ")), ("/q", .insert("uit ")), ("/m", .insert("e")),
      ("/me", .choices(["/memory", "/metrics"])), ("/x", .none), ("hello", .none), ("", .none), ("/help me", .none),
      ("/help", .insert(" ")),
    ])
  func completion(typed: String, expected: CommandCompletion) {
    let commands = ["/help", "/memory", "/metrics", "/quit"]
    #expect(CommandCompletion.complete(typed, among: commands) == expected)
  }

  @Test("bytes of a keyboard become characters", arguments: ["ascii", "é", "日本", "🐱", "ß🐕x"])
  func keyboard(text: String) {
    var decoder = UTF8CharacterDecoder()
    let scalars = text.utf8.compactMap { decoder.decode($0) }
    #expect(scalars == Array(text.unicodeScalars))
  }

  @Test("bytes that are no UTF-8 become U+FFFD and do not swallow what follows")
  func brokenKeyboard() {
    var decoder = UTF8CharacterDecoder()
    let bytes: [UInt8] = [0xFF, 0x61, 0xC3, 0x62, 0xE2, 0x82, 0xAC, 0x80, 0x63]
    let text = String(String.UnicodeScalarView(bytes.compactMap { decoder.decode($0) }))
    #expect(text == "\u{FFFD}ab€\u{FFFD}c")
  }

  @Test(
    "sizes",
    arguments: [
      (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (98_362_432, "98.4 MB"), (999_999, "1.0 MB"),
      (123_456_789, "123 MB"), (UInt64.max, "18.4 EB"),
    ] as [(UInt64, String)])
  func sizes(bytes: UInt64, expected: String) {
    #expect(ByteCount.text(bytes) == expected)
  }

  @Test("a progress line fits the terminal, whatever its width and whatever the figures")
  func progress() {
    for width in [0, 1, 10, 20, 40, 80, 200] {
      for (done, total) in [(0, 0), (5, 10), (10, 10), (20, 10), (UInt64.max, 1), (1, UInt64.max)] as [(UInt64, UInt64)]
      {
        let line = ProgressLine(label: "fetching x", done: done, total: total, elapsed: .nanoseconds(1)).bar(
          width: width)
        #expect(line.count < max(width, 1))
        #expect(!line.contains("\n"))
      }
    }
    let half = ProgressLine(label: "x", done: 50_000_000, total: 100_000_000, elapsed: .seconds(5))
    #expect(half.bar(width: 80).contains("50 % of 100 MB  10.0 MB/s  5 s left"))
    #expect(half.bar(width: 80).contains("██░"))
    #expect(half.plain == "x: 50 % of 100 MB")
  }

  @Test("a table is aligned, and what is in it cannot control the terminal")
  func table() {
    var table = TextTable(["NAME", "SIZE", ""])
    table.add(["long-name", "1", "default"])
    table.add(["\u{1B}x", "22", ""])
    #expect(table.text == "NAME       SIZE\nlong-name  1     default\n␛x         22")
    table.add(["mine\npet-nano", "1", "\u{202E}x"])
    #expect(table.text.hasSuffix("\n␛x             22\nmine pet-nano  1     \u{FFFD}x"))
  }

  @Test("the third interrupt within two seconds is enough, a slower one is not")
  func interrupts() {
    let start = ContinuousClock.now
    var count = InterruptCount(limit: 3)
    let verdicts = [0, 1, 3.5, 4, 4.5].map { count.add(at: start + .seconds($0)) }
    #expect(verdicts == [false, false, false, false, true])
  }
}
