// SPDX-License-Identifier: Apache-2.0
import PetCompanion
import Testing

@Suite("Reading a reply")
struct ReplyReaderTests {
  /// The reply and what was shown, for the text cut into pieces of every length.
  private static func read(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) -> Reply {
    var replies: [Reply] = []
    for length in 1...max(1, text.count) {
      var reader = ReplyReader()
      var shown = ""
      var rest = text[...]
      while !rest.isEmpty {
        shown += reader.append(String(rest.prefix(length)))
        rest = rest.dropFirst(length)
      }
      let reply = reader.finish()
      #expect(reply.text == shown, sourceLocation: sourceLocation)
      replies.append(reply)
    }
    #expect(replies.allSatisfy { $0 == replies[0] }, "\(text) in pieces", sourceLocation: sourceLocation)
    return replies[0]
  }

  @Test(
    "text, emotion and actions",
    arguments: [
      ("Yes! I am hungry. {hungry; look_around}", Emotion.hungry, [PetAction.lookAround]),
      ("Hm. {content}", .content, []),
      ("Catch! {playful; play_ball, jump}", .playful, [.playBall, .jump]),
      ("Good night.\n{sleepy;yawn,sleep}\n", .sleepy, [.yawn, .sleep]),
    ])
  func wellFormed(text: String, emotion: Emotion, actions: [PetAction]) throws {
    let words = try #require(text.split(separator: "{").first).trimmingSuffix(while: \.isWhitespace)
    #expect(
      Self.read(text) == Reply(text: String(words), emotion: emotion, actions: actions, isWellFormed: true))
  }

  @Test(
    "what is not in the form is told, and never shown",
    arguments: [
      ("Hello {happy", Emotion.happy, [PetAction]()),
      ("Hello {", nil, []),
      ("Hello {bored; jump}", nil, [.jump]),
      ("Hello {happy; fly}", .happy, []),
      ("Hello {happy; jump, spin, dance}", .happy, [.jump, .spin]),
      ("Hello {}", nil, []),
      ("Hello {happy;}", .happy, []),
      ("Hello {happy}})", nil, []),
      ("Hello {happy; jump}]", .happy, []),
      ("Hello", nil, []),
    ])
  func malformed(text: String, emotion: Emotion?, actions: [PetAction]) {
    #expect(Self.read(text) == Reply(text: "Hello", emotion: emotion, actions: actions, isWellFormed: false))
  }

  @Test("a reply of nothing but its mark has no text")
  func onlyMark() {
    #expect(Self.read("{happy}") == Reply(text: "", emotion: .happy, isWellFormed: false))
  }

  @Test("braces within the text stay")
  func braces() {
    let text = "In code { and } come in pairs, like {this}. My paws do too."
    #expect(Self.read(text + " {curious}") == Reply(text: text, emotion: .curious, isWellFormed: true))
    let long = "{" + String(repeating: "la ", count: 60) + "la"
    #expect(Self.read(long) == Reply(text: long))
  }

  @Test("characters of several bytes are handed on whole")
  func unicode() {
    #expect(Self.read("Miau 🐈‍⬛, schön! {happy; purr}").text == "Miau 🐈‍⬛, schön!")
  }
}

extension Substring {
  fileprivate func trimmingSuffix(while predicate: (Character) -> Bool) -> Substring {
    var rest = self
    while let last = rest.last, predicate(last) { rest.removeLast() }
    return rest
  }
}
