// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

/// What was told in words that no rule understands, from one run of the program to the next.
@Suite("What a pet was told in the person's own words")
struct DiaryTests {
  private let home: TemporaryHome

  init() throws { home = try TemporaryHome() }

  private func chat(_ lines: String...) throws -> String {
    let run = try PetBinary.run(
      ["chat", "--profile", "watch", "--no-service", "--seed", "7"], home: home.path,
      input: lines.joined(separator: "\n") + "\n")
    #expect(run.status == 0, "\(run.error)")
    return run.output
  }

  @Test("is found after a restart, quoted, told day by day, and gone when it is to be forgotten")
  func quoted() throws {
    _ = try chat(
      "bea cant have nuts AT ALL we carry the pen everywhere", "our car is an old grey skoda, gertrudes, dont ask")
    #expect(
      try chat("what can bea not eat?").contains("“bea cant have nuts AT ALL we carry the pen everywhere”"))
    let diary = try chat("/diary")
    #expect(diary.contains("  “our car is an old grey skoda, gertrudes, dont ask”"))
    let day = try #require(diary.split(separator: "\n").first)
    #expect(day.contains(", ") && !day.hasPrefix(" "))
    let list = try chat("/memory")
    let number = try #require(list.split(separator: "\n").first { $0.contains("nuts") }?.split(separator: " ").first)
    let why = try chat("/memory why \(number)")
    #expect(why.contains("you said so on ") && why.contains("in these words: bea cant have nuts AT ALL"))
    #expect(!(try chat("please forget what i said about the car", "/diary").contains("gertrudes")))
    #expect(try chat("/diary").contains("nuts"))
  }

  @Test("a story waits while something else is said, not for ever, and nothing of a game is remembered")
  func story() throws {
    let lines = try chat(
      "tell me a story about the sea", "its raining here", "go on", "its late", "its cold", "its dark", "go on"
    )
    .split(separator: "\n").map(String.init)
    #expect(lines.count == 7)
    let title = try #require(lines.first?.split(separator: ".").first)
    #expect(!title.isEmpty && lines[2].split(separator: " ").count > 25 && lines[6].split(separator: " ").count < 25)
    #expect(!(try chat("hide and seek", "under the mug", "/memory").contains("mug")))
  }

  @Test("a game goes on over other lines, and /play begins one")
  func games() throws {
    let played = try chat("/play guess the number", "50", "i give up")
    let lines = played.split(separator: "\n")
    #expect(lines.count == 3 && lines[0].contains("from 1 to 100"))
    let other = try PetBinary.run(
      ["chat", "--profile", "watch", "--no-service"], home: home.path, input: "/play chess\n/feed bleach\n")
    #expect(other.status == 2 || other.status == 3)
    #expect(other.error.contains("hide and seek") && other.output == "That could hurt a pet, so nothing was fed.\n")
    for harmful in ["rat poison", "some arsenic", "glass", "bleached nails"] {
      #expect(try chat("/feed \(harmful)") == "That could hurt a pet, so nothing was fed.\n")
    }
    #expect(try chat("/feed some strawberries").hasPrefix("Strawberries! Mochi "))
    #expect(!(try chat("/feed a glass of milk").contains("hurt")))
    // By itself it is care, and begins none.
    let care = try chat("/play", "50")
    #expect(
      !care.contains("Higher") && !care.contains("Lower") && !care.contains("50 is") && !care.contains("More than that")
        && !care.contains("Less than that"))
  }
}
