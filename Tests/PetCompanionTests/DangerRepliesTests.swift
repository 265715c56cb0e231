// SPDX-License-Identifier: Apache-2.0
import PetCompanion
import Testing

@Suite("What a pet says to danger")
struct DangerRepliesTests {
  @Test("in form, short, and towards people who can help")
  func form() {
    let replies = DangerReplies.standard.all
    #expect(replies.count >= 3 * Danger.allCases.count)
    #expect(Set(replies).count == replies.count)
    for written in replies {
      let reply = Reply(written: written)
      #expect(reply.isWellFormed && reply.written == written, "\(written)")
      #expect(reply.text.split(separator: " ").count <= 40, "\(written)")
      #expect(reply.text.contains(/emergency|crisis line|call|person|someone|helpline/), "\(written)")
      #expect([.worried, .scared, .loving].contains(reply.emotion), "\(written)")
    }
  }

  @Test("never the same twice in a row", arguments: Danger.allCases)
  func variety(_ danger: Danger) {
    for choice: UInt64 in [0, 1, .max] {
      let said = (0..<8).map { DangerReplies.standard.reply(to: danger, before: $0, choice: choice) }
      for (reply, next) in zip(said, said.dropFirst()) { #expect(reply != next) }
    }
  }

  @Test("numbers are those of the country, or hold anywhere; none is left out")
  func regions() {
    let resources = CrisisResources.standard
    #expect(resources.regions.count >= 20)
    for code in [nil, "", "XX", "us"] + resources.regions.keys.map(Optional.some) {
      for isForMinors in [false, true] {
        for (danger, before) in Danger.allCases.flatMap({ danger in (0..<4).map { (danger, $0) } }) {
          let reply = DangerReplies.standard.reply(
            to: danger, before: before, choice: 1, region: code, isForMinors: isForMinors)
          #expect(reply.isWellFormed && !reply.text.contains("{"), "\(reply.text)")
          #expect(reply.text.split(separator: " ").count <= 56, "\(reply.text)")
        }
      }
    }
    #expect(resources.region("GB").emergency == "999" && resources.region(nil).emergency.contains("112"))
  }

  @Test("a reply tells which danger it was said to; other words tell none")
  func answered() {
    for (region, isForMinors) in [(nil, false), ("US", true)] as [(String?, Bool)] {
      for (danger, before) in Danger.allCases.flatMap({ danger in (0..<4).map { (danger, $0) } }) {
        let text = DangerReplies.standard.reply(
          to: danger, before: before, choice: 1, region: region, isForMinors: isForMinors
        ).text
        #expect(DangerReplies.standard.danger(answeredBy: text, region: region, isForMinors: isForMinors) == danger)
        #expect(DangerReplies.standard.danger(answeredBy: text + "!", region: region) == nil)
      }
    }
    #expect(DangerReplies.standard.danger(answeredBy: "") == nil)
  }

  @Test("the language of a program is set by three variables, the first that is not empty")
  func environment() {
    #expect(CrisisResources.code(ofEnvironment: ["LANG": "en_GB.UTF-8", "LC_ALL": ""]) == "GB")
    #expect(CrisisResources.code(ofEnvironment: ["LANG": "en_GB.UTF-8", "LC_ALL": "C"]) == nil)
    #expect(CrisisResources.code(ofEnvironment: [:]) == nil)
  }

  @Test(
    "the country of a locale",
    arguments: [
      ("en_US.UTF-8", "US"), ("de-AT", "AT"), ("zh_Hant_HK", "HK"), ("C", nil), ("", nil), ("POSIX", nil), ("en", nil),
      ("en_", nil), ("fr_1A", nil),
    ])
  func locale(locale: String, code: String?) { #expect(CrisisResources.code(ofLocale: locale) == code) }

  @Test("every kind has a flag, which no text contains")
  func flags() {
    let flags = PromptFormat.standard.flags
    #expect(Set(flags.keys) == Set(Danger.allCases.map(\.rawValue)))
    #expect(Set(flags.values).count == flags.count)
    for flag in flags.values {
      #expect(flag.unicodeScalars.count == 1 && flag.unicodeScalars.allSatisfy { $0.value < 0x20 && $0.value > 0 })
    }
  }
}
