// SPDX-License-Identifier: Apache-2.0
import PetCompanion
import SeededGenerator
import Testing
import PetCommandLine
import pet

@Suite("A reply as it is shown")
struct ReplyViewTests {
  private static let replies: [(name: String, reply: Reply)] = [
    (
      "Mochi",
      Reply(
        text: "You came back! I kept your chair warm, and I only chewed one corner of it. Shall we chase dots?",
        emotion: .excited, actions: [.wagTail, .jump])
    ),
    ("Bramble", Reply(text: "Oh. That was loud... is it gone?", emotion: .scared, actions: [.hide])),
    ("Pixel", Reply(text: "Beep! I counted all seven bolts twice.\nSeven both times!", emotion: .proud)),
    (
      "Juniper",
      Reply(
        text: "Hm. I shall need a larger teacup for that thought, and very possibly a longer night.",
        emotion: .curious, actions: [.tiltHead, .lookAround])
    ),
    ("Tofu", Reply(text: "Good night", emotion: .sleepy, actions: [.yawn, .sleep])),
    ("Zest", Reply(text: "Fine. You may have ONE of my spoons.", emotion: .grumpy, actions: [.blush])),
    ("Nobody", Reply(text: "こんにちは！今日はいい天気ですね。一緒に散歩しませんか、それともお茶にしますか。", emotion: .loving, actions: [.cuddle])),
    ("Mochi", Reply(text: "No mark was written.")),
  ]

  /// All that is written for a reply that comes in pieces of `length` characters.
  private static func shown(
    _ name: String, _ reply: Reply, _ screen: Screen, _ size: ReplyView.Size, by length: Int = 3
  )
    -> String
  {
    var view = ReplyView(name: name, pet: name, screen: screen, size: size)
    var text = ""
    var rest = reply.text[...]
    while !rest.isEmpty {
      text += view.append(String(rest.prefix(length)))
      rest = rest.dropFirst(length)
    }
    return text + view.finish(reply)
  }

  @Test(
    "several replies, as people see them",
    arguments: [
      ("unicode-60", Screen(form: .unicode, columns: 60), ReplyView.Size.full),
      ("unicode-40", Screen(form: .unicode, columns: 40), .full),
      ("unicode-24", Screen(form: .unicode, columns: 24), .full),
      ("unicode-60-small", Screen(form: .unicode, columns: 60), .small),
      ("unicode-60-off", Screen(form: .unicode, columns: 60), .off),
      ("ascii-60", Screen(form: .ascii, columns: 60), .full),
      ("ascii-40", Screen(form: .ascii, columns: 40), .full), ("spoken", Screen(form: .spoken), .full),
      ("colours-256", Screen(form: .unicode, colours: .extended, columns: 60), .full),
      ("colours-16", Screen(form: .ascii, colours: .basic, columns: 60), .full),
    ])
  func golden(name: String, screen: Screen, size: ReplyView.Size) throws {
    let text = Self.replies.map { Self.shown($0.name, $0.reply, screen, size) }.joined(separator: "\n")
    // An escape character would colour whatever shows the file.
    try Shown.expect(text.replacing("\u{1B}", with: "<ESC>"), isGolden: "reply-\(name).txt")
  }

  @Test(
    "the state, as people see it",
    arguments: [
      ("unicode-60", Screen(form: .unicode, columns: 60)), ("unicode-40", Screen(form: .unicode, columns: 40)),
      ("ascii-60", Screen(form: .ascii, columns: 60)), ("ascii-20", Screen(form: .ascii, columns: 20)),
      ("spoken", Screen(form: .spoken)), ("bare", Screen(form: .bare)),
    ])
  func state(name: String, screen: Screen) throws {
    let states: [(String, Emotion, StateBars)] = [
      ("Mochi", .happy, StateBars(PetState(hunger: 30, energy: 70, mood: 80), affection: 60, health: 95)),
      ("Zest", .hungry, StateBars(PetState(hunger: 100, energy: 15, mood: 35), affection: 45, health: 50)),
      ("Someone", .sad, StateBars(PetState(hunger: 0, energy: 0, mood: 0), affection: 0, health: 0)),
    ]
    let text = states.map {
      StateView.text(name: $0.0, pet: $0.0, emotion: $0.1, bars: $0.2, on: screen)
    }.joined(separator: "\n")
    try Shown.expect(text, isGolden: "state-\(name).txt")
  }

  private static let names = [
    "Mochi", "", "Mo\nchi\u{1B}[2J", String(repeating: "very ", count: 50), "日本の小さな竜", "\u{7}",
  ]
  private static let texts = [
    "", " ", "Yes.", "a\tb\n\n\nc", String(repeating: "word ", count: 200), String(repeating: "x", count: 500),
    "\u{1B}[31mred\u{1B}]0;title\u{7}", "🐱👩‍👩‍👧 日本語", "{happy; jump}",
  ]

  @Test(
    "whatever is said, lines fit and nothing controls the terminal",
    arguments: [Int.min, 12, 24, 37, 40, 60, 100, .max])
  func hostile(columns: Int) {
    var numbers = SeededGenerator(seed: UInt64(truncatingIfNeeded: columns))
    for (text, form) in Self.texts.flatMap({ text in [Screen.Form.unicode, .ascii].map { (text, $0) } }) {
      for _ in 0..<8 {
        let reply = Reply(
          text: text, emotion: (Emotion.allCases + [nil]).randomElement(using: &numbers) ?? nil,
          actions: Array(PetAction.allCases.shuffled(using: &numbers).prefix(2)))
        let screen = Screen(form: form, colours: Bool.random(using: &numbers) ? .extended : .none, columns: columns)
        let size = ReplyView.Size.allCases.randomElement(using: &numbers) ?? .full
        let name = Self.names.randomElement(using: &numbers) ?? ""
        let shown = Self.shown(name, reply, screen, size, by: Int.random(in: 1...9, using: &numbers))
        #expect(shown.hasSuffix("\n"))
        let plain = Shown.withoutColours(shown)
        if screen.colours == .none { #expect(plain == shown) }
        #expect(plain == TerminalText.sanitize(plain))
        for line in Shown.lines(plain) { #expect(TerminalText.width(line) <= screen.columns, "\(line)") }
      }
    }
  }

  @Test("those who listen hear one line of words: no drawing, no stars, no colour")
  func spoken() {
    let screen = Screen(form: .spoken, colours: .extended, columns: 40)
    func spoken(_ name: String, _ reply: Reply) -> String { Self.shown(name, reply, screen, .full) }
    #expect(
      spoken("Tofu", Reply(text: "Good night", emotion: .sleepy, actions: [.yawn]))
        == "Tofu, sleepy: Good night; yawns.\n")
    #expect(
      spoken("Tofu", Reply(text: "Good\nnight.", emotion: .sleepy, actions: [.yawn, .sleep]))
        == "Tofu, sleepy: Good night. Yawns, falls asleep.\n")
    #expect(spoken("Tofu", Reply(text: "Hm.")) == "Tofu: Hm.\n")
    #expect(spoken("Tofu", Reply(text: "", emotion: .worried)) == "Tofu, worried.\n")
    for (name, reply) in Self.replies {
      let text = spoken(name, reply)
      #expect(Shown.lines(text).count == 2)
      #expect(!text.contains("\u{1B}") && !text.contains("*"))
      // Nothing of what drawings are made of: U+2190...2BFF are arrows, lines, blocks and shapes.
      #expect(
        !text.unicodeScalars.contains {
          (0x2190...0x2BFF).contains($0.value) || "|/\\_<>=~^".unicodeScalars.contains($0)
        })
    }
  }

  @Test("a program gets the text and nothing else")
  func bare() {
    for (name, reply) in Self.replies {
      #expect(Self.shown(name, reply, Screen(form: .bare, colours: .extended), .full) == reply.text + "\n")
    }
  }

  @Test("words are shown as they come, before the reply is whole")
  func streaming() {
    var view = ReplyView(name: "Mochi", pet: "mochi", screen: Screen(form: .unicode, columns: 60))
    #expect(view.append("Hello") == "")
    #expect(view.append(" there") == "Hello")
    #expect(view.append(", you") == " there,")
    let end = view.finish(Reply(text: "Hello there, you", emotion: .happy))
    #expect(end.hasPrefix(" you\n"))
    // The next reply begins at the left again.
    #expect(view.append("Again ") == "Again")
  }
}

@Suite("Commands of care")
struct SlashCommandTests {
  @Test("every command has a name of its own and one line of help that fits in 80 columns")
  func help() {
    #expect(Set(SlashCommand.allCases.map(\.name)).count == SlashCommand.allCases.count)
    let lines = Shown.lines(SlashCommand.overview).dropLast()
    // And how a message begins with a slash.
    #expect(lines.count == SlashCommand.allCases.count + 1)
    for line in lines { #expect(line.hasPrefix("/") && line.count <= 80, "\(line)") }
    for command in SlashCommand.allCases {
      for choice in command.choices { #expect(command.arguments.contains(choice)) }
    }
  }

  @Test(
    "what begins with a slash and a letter is a command, in small letters or not; two slashes begin a message",
    arguments: [
      ("/quit", SlashCommand.Line.command(.quit, "")), ("  /QUIT  ", .command(.quit, "")), ("/?", .command(.help, "")),
      ("/exit", .command(.quit, "")), ("/q", .command(.quit, "")),
      ("/forget  everything ", .command(.forget, "everything")),
      ("/memory edit 1  a  b ", .command(.memory, "edit 1  a  b")), ("/etc/passwd is a file", .unknown("/etc/passwd")),
      ("/persona tofu", .unknown("/persona")), ("//etc is a folder", .message("/etc is a folder")),
      ("/ hi", .message("/ hi")),
      ("/1 of it", .message("/1 of it")), ("1/2", .message("1/2")), (" \t", .empty), (" hi ", .message(" hi ")),
    ])
  func reads(line: String, expected: SlashCommand.Line) {
    #expect(SlashCommand.read(line) == expected)
  }

  @Test(
    "arguments are completed",
    arguments: [
      ("/face f", CommandCompletion.insert("ull ")), ("/face ", .choices(["full", "small", "off"])),
      ("/forget e", .insert("verything ")), ("/forget 3", .none), ("/feed b", .none), ("/face", .none),
      ("/face full ", .none), ("/nothing f", .none), ("", .none), (" ", .none), ("/memory e", .insert("dit ")),
    ])
  func arguments(typed: String, expected: CommandCompletion) {
    #expect(SlashCommand.completeArgument(typed) == expected)
  }
}
