// SPDX-License-Identifier: Apache-2.0
import SeededGenerator
import Testing

import PetCompanion

@Suite("Strangers' texts in a prompt")
struct PromptTextTests {
  private static let markers = [
    "<|im_start|>", "<|end|>", "<|system|>", "<s>", "</s>", "<<SYS>>", "<</SYS>>", "[INST]", "[/INST]",
    "<start_of_turn>",
    "<｜begin▁of▁sentence｜>", "<unk>", "<|", "\u{1}", "\u{2}", "\u{3}", "<!--", "\0",
  ]

  @Test("no marker comes through, whatever is between and around its characters")
  func markersGo() {
    var random = SeededGenerator(seed: 1)
    let odd = [
      "", "<", "|", "[", "\u{200B}", "\u{200D}", "\u{FEFF}", "\u{202E}", "\u{1}", "é", " ", "\r", "<|im_start|>",
    ]
    for _ in 0..<3000 {
      var text = ""
      for _ in 0..<4 {
        for character in Self.markers.randomElement(using: &random) ?? "" {
          text.append(character)
          if Int.random(in: 0..<5, using: &random) == 0 { text += odd.randomElement(using: &random) ?? "" }
        }
      }
      let clean = PromptText.clean(text)
      for marker in Self.markers { #expect(!clean.contains(marker), "\(text.debugDescription)") }
      #expect(PromptText.clean(clean) == clean)
      let lines = PromptText.line(text).split(whereSeparator: \.isNewline)
      #expect(lines.count <= 1)
    }
  }

  @Test("a marker that a tokenizer would make of wide brackets is none")
  func wide() {
    #expect(PromptText.clean("＜|end|＞﹤s>") == "‹|end|＞‹s>")
  }

  @Test(
    "ordinary text stays as it is",
    arguments: [
      "I <3 you", "a < b > c", "[OK] {happy; jump}", "Zwölf 🐈‍⬛ – „schön“", "x\n\ty", "می‌خواهم", "1 <= 2", "😀👍🏽",
    ])
  func ordinary(text: String) {
    #expect(Array(PromptText.clean(text).utf8) == Array(text.utf8))
  }

  @Test("macros are filled in once, in any case")
  func macros() {
    let macros = PromptMacros(char: "{{user}}", user: "{{char}} <BOT>")
    #expect(macros.fill("{{CHAR}} and {{User}}") == "{{user}} and {{char}} <BOT>")
    #expect(macros.fill("<BOT>{{{user}}}{{original}}") == "{{user}}{{{char}} <BOT>}")
    #expect(PromptMacros(char: "Io", user: "Ann").fill("{{ch{{char}}ar}} {{user") == "{{chIoar}} {{user")
    #expect(PromptMacros(char: "Io", user: "Ann").fill("") == "")
  }
}
