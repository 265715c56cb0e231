// SPDX-License-Identifier: Apache-2.0
import PetCompanion
import PetGrammar
import Testing

@Suite("The form of replies as a grammar")
struct ReplyFormTests {
  private func accepts(_ form: ReplyForm, _ text: String) throws -> Bool {
    let bytes = (0..<256).map { [UInt8($0)] } + [[]]
    let vocabulary = try TokenVocabulary(tokens: bytes, endTokens: [256])
    var matcher = GrammarMatcher(CompiledGrammar(try Grammar(gbnf: form.gbnf), vocabulary: vocabulary))
    return matcher.accept(bytes: text.utf8) && matcher.isFinished
  }

  @Test(
    "accepts what the reader calls well-formed",
    arguments: [
      "Hello! {happy}", "Hello! {happy; jump}", "Hello! {surprised; look_around, tilt_head}",
      " I <3 you {loving; nuzzle}",
      "Ünï \u{1F431} {curious}", "\"Yes\", he said {content; purr, purr}",
    ])
  func accepted(_ text: String) throws {
    let form = ReplyForm()
    #expect(try accepts(form, text))
    var reader = ReplyReader()
    _ = reader.append(text)
    #expect(reader.finish().isWellFormed)
    let mark = try #require(text.lastIndex(of: "{"))
    #expect(text[mark...].utf8.count + 1 <= form.longestMark)
  }

  @Test(
    "refuses what has no text, no emotion, other emotions and actions, more than two, marks and special tokens within",
    arguments: [
      "Hello!", " {happy}", "{happy}", "Hello! {}", "Hello! {glad}", "Hello! {happy; fly}",
      "Hello! {happy; jump, spin, wave}",
      "Hello! {happy;jump}", "a {b} c {happy}", "a|b {happy}", "<|end|> {happy}", "a\nb {happy}", "a\u{1} {happy}",
      "Hello!{happy}",
      "Hello! {happy} ", "Hello! {happy", "",
    ])
  func refused(_ text: String) throws { #expect(try !accepts(ReplyForm(), text)) }

  @Test("holds to what is allowed")
  func allowed() throws {
    let form = ReplyForm(emotions: [.sleepy, .sad], actions: [.yawn])
    #expect(try accepts(form, "Good night. {sleepy; yawn}") && accepts(form, "Oh. {sad}"))
    #expect(try !accepts(form, "Good night. {happy; yawn}") && !accepts(form, "Oh. {sad; jump}"))
    let still = ReplyForm(actions: [])
    #expect(try accepts(still, "Oh. {sad}") && !accepts(still, "Oh. {sad; jump}"))
    #expect(ReplyForm(emotions: [.sad, .sleepy, .sad], actions: [.yawn, .yawn]) == form)
    #expect(ReplyForm(emotions: []).emotions == Emotion.allCases)
  }
}
