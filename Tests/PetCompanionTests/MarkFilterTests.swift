// SPDX-License-Identifier: Apache-2.0
import PetCompanion
import Testing

@Suite("Marks are taken out of a streamed text")
struct MarkFilterTests {
  struct Case: CustomTestStringConvertible {
    let written: String
    let said: String
    var emotion: Emotion?
    var actions: [PetAction] = []
    var testDescription: String { written }
  }

  static let cases = [
    Case(written: "Hello! {happy; wave}", said: "Hello!", emotion: .happy, actions: [.wave]),
    Case(
      written: "Hi {happy} there {sad; cry, hide} you", said: "Hi there you", emotion: .sad, actions: [.cry, .hide]),
    Case(written: "One.\n\n { loving ;nuzzle,purr }\n", said: "One.\n", emotion: .loving, actions: [.nuzzle, .purr]),
    Case(written: "Glad {glad; wag_tail}", said: "Glad", actions: [.wagTail]),
    Case(written: "{proud}", said: "", emotion: .proud),
    Case(written: "let f = { x in x } // {", said: "let f = { x in x } //"),
    Case(written: #"{"a": {"b": 1}} {}"#, said: #"{"a": {"b": 1}} {}"#),
    Case(written: "a {b} c {unknown; nothing} ", said: "a {b} c {unknown; nothing} "),
    Case(written: "{Happy} {happy", said: "{Happy}"), Case(written: "cut {ex", said: "cut"),
    Case(written: "cut {happy; wa", said: "cut"), Case(written: "cut {not any", said: "cut {not any"),
    Case(written: "{{happy}}", said: "{}", emotion: .happy),
    Case(written: "Grüße 🐱 {sleepy; yawn}", said: "Grüße 🐱", emotion: .sleepy, actions: [.yawn]),
    Case(
      written: "{" + String(repeating: "a", count: 200) + "} end",
      said: "{" + String(repeating: "a", count: 200) + "} end"),
    Case(written: "spaces   \n kept  ", said: "spaces   \n kept  "),
    Case(
      written: "The cat {sleepy; sleep, and slept in the sun. ", said: "The cat and slept in the sun. ",
      emotion: .sleepy, actions: [.sleep]),
    Case(
      written: "The cat {sleepy; sleep, and slept in the sun", said: "The cat and slept in the sun",
      emotion: .sleepy, actions: [.sleep]),
    Case(
      written: #"{"name":"Tea {happy;wave,Ada"}"#, said: #"{"name":"Tea Ada"}"#, emotion: .happy, actions: [.wave]),
    Case(
      written: "A {happy; " + String(repeating: "word ", count: 40) + "} end",
      said: "A" + String(repeating: " word", count: 40) + " } end", emotion: .happy),
  ]

  @Test("wherever they stand and however the text comes; braces that are no mark stay", arguments: cases)
  func filters(_ given: Case) {
    for size in [1, 2, 3, 5, 1000] {
      var filter = MarkFilter()
      var said = ""
      var rest = given.written[...]
      while !rest.isEmpty {
        said += filter.append(String(rest.prefix(size)))
        rest = rest.dropFirst(size)
      }
      said += filter.flush()
      #expect(said == given.said, "in pieces of \(size)")
      #expect(filter.emotion == given.emotion && filter.actions == given.actions)
    }
  }

  @Test("words go on at once, and only what may become a mark waits")
  func holdsLittle() {
    var filter = MarkFilter()
    #expect(filter.append("Hello, ") == "Hello,")
    #expect(filter.append("you {") == " you")
    #expect(filter.append("\"") == " {\"")
  }
}
