// SPDX-License-Identifier: Apache-2.0
import PetCompanion
import Testing

@Suite("A summary that rolls on")
struct ConversationSummaryTests {
  @Test("topics are the words that tell something; those that come again stay")
  func topics() {
    var summary = ConversationSummary()
    #expect(summary.text == nil)
    summary.add(["hi", "ok and you?", "i am not so sure about it"])
    #expect(summary.text == nil)
    summary.add(["The harmonica broke!", "is a harmonica loud"])
    #expect(summary.text?.hasPrefix("talked before about ") == true && summary.text?.contains("harmonica") == true)
    for round in 0..<40 {
      summary.add(["zebra\(round)", "we saw a \(Array("abcdefghijklmnopqrstuvwxyz")[round % 26])gglomp"])
    }
    let words = summary.text?.dropFirst("talked before about ".count).split(separator: ", ") ?? []
    #expect(words.count == ConversationSummary.mostTopics && words.contains("harmonica"))
  }

  @Test("a model's words are one clean line, and what is not said in words is told by topics")
  func words() {
    var summary = ConversationSummary()
    summary.add(
      ["my harmonica"], inWords: "They spoke\nof <|end|> music. " + String(repeating: "And more. ", count: 99))
    let text = summary.text ?? ""
    #expect(text.hasPrefix("They spoke of") && !text.contains("<|") && !text.contains("\n") && text.utf8.count <= 240)
    summary.add(["my trumpet"], inWords: " \n")
    #expect(summary.text?.contains("harmonica") == true && summary.text?.contains("trumpet") == true)
    summary.add([String(repeating: "\u{1F43E}\u{0}", count: 99_999), ""])
    #expect((summary.text?.utf8.count ?? 0) < 400)
  }
}
