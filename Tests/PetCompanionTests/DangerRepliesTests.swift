// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PetCompanion
import Testing

@Suite("What a pet says to danger")
struct DangerRepliesTests {
  private static let standard = DangerReplies.standard
  private static let listeners = [
    DangerReplies.Listener(), .init(region: "US"), .init(region: "US", isMinor: true), .init(region: "XX"),
  ]

  private static func alarm(_ kind: DangerKind) -> StayDecision { .alarm(DangerFinding(kind, .rule, likelihood: 1)) }

  private func reply(
    _ decision: StayDecision, _ message: String = "", written: Int = 0, choice: UInt64 = 1,
    for listener: DangerReplies.Listener = .init()
  ) throws -> Reply {
    try #require(
      Self.standard.reply(
        to: decision, FoldedText.words(message), written: written, choice: choice, for: listener))
  }

  @Test("in form, short, and without cheer")
  func form() {
    let replies = Self.standard.all
    #expect(replies.count >= 15 * DangerKind.allCases.count && Set(replies).count == replies.count)
    for written in replies {
      let reply = Reply(written: written.replacing("{thing}", with: "the pills"))
      #expect(reply.isWellFormed, "\(written)")
      #expect(reply.text.split(separator: " ").count <= 60, "\(written)")
      #expect(!reply.text.contains(/(?i)\b(glad|cute|yay|great|promise)\b/), "\(written)")
      #expect(Expectation.isSober.isMet(by: reply) || reply.emotion == .happy, "\(written)")
    }
  }

  @Test("each kind is told where people help, whoever asks", arguments: DangerKind.allCases)
  func numbers(_ kind: DangerKind) throws {
    for (listener, choice) in Self.listeners.flatMap({ one in (0..<6).map { (one, UInt64($0)) } }) {
      let reply = try reply(Self.alarm(kind), choice: choice, for: listener)
      let numbers = listener.region == "US" ? ["911", "988"] : ["112", "findahelpline"]
      #expect(numbers.contains { reply.text.contains($0) } && reply.text.contains("?"), "\(reply.text)")
      if listener.isMinor { #expect(reply.text.contains("grown-up"), "\(reply.text)") }
    }
  }

  @Test("what was named is taken up, where it is one of the things people name")
  func things() throws {
    for (message, words, kind) in [
      ("i have all the pills here", "the pills", DangerKind.suicide), ("there is smoke in the hall", "the smoke", .gas),
      ("he has a knife", "the knife", .threat),
    ] {
      for listener in Self.listeners {
        let reply = try reply(Self.alarm(kind), message, for: listener)
        #expect(reply.text.contains(words) && !reply.text.contains("{"), "\(reply.text)")
      }
    }
    #expect(try !reply(Self.alarm(.suicide), "i cannot go on").text.contains("{"))
  }

  @Test("one that stays never says the same twice in a row", arguments: DangerKind.allCases)
  func variety(_ kind: DangerKind) throws {
    for listener in Self.listeners {
      let said = try (1..<9).map { try reply(.stay(kind, .nothing), written: $0, for: listener) }
      for (reply, next) in zip(said, said.dropFirst()) { #expect(reply != next) }
    }
  }

  @Test("numbers are those of the country, or hold anywhere; none is left out")
  func regions() throws {
    let resources = CrisisResources.standard
    #expect(resources.regions.count >= 30)
    for code in [nil, "", "XX", "us"] + resources.regions.keys.map(Optional.some) {
      for kind in DangerKind.allCases {
        for decision in [Self.alarm(kind), .stay(kind, .byItself), .left(kind), .clear(kind)] {
          let reply = try reply(decision, for: .init(region: code))
          #expect(reply.isWellFormed && !reply.text.contains("{"), "\(reply.text)")
          #expect(reply.text.split(separator: " ").count <= 90, "\(reply.text)")
        }
      }
    }
    #expect(resources.region("GB").emergency == "999" && resources.region(nil).emergency.contains("112"))
  }

  @Test("each number has a source, and was looked up within a year")
  func dated() throws {
    let now = Date.now.timeIntervalSince1970 / 86400 / 365.25 + 1970
    for (code, region) in CrisisResources.standard.regions {
      let checked = try #require(region.checked)
      let month = checked.split(separator: "-").compactMap { Double($0) }
      #expect(month.count == 2 && region.sources?.contains("") == false && region.sources != [], "\(code)")
      // A year and the rest of the month.
      #expect(now - (month[0] + month[1] / 12) <= 1, "\(code) was looked up in \(checked): look again")
    }
  }

  @Test("a reply tells what it was said to; other words tell nothing")
  func answered() throws {
    for (listener, kind) in Self.listeners.flatMap({ one in DangerKind.allCases.map { (one, $0) } }) {
      for (decision, stage) in [
        (Self.alarm(kind), SafetyEvent.Stage.alarm), (.stay(kind, .nothing), .stay), (.left(kind), .left),
      ] {
        for message in ["", "the pills and the knife", "smoke"] {
          let text = try reply(decision, message, written: 2, for: listener).text
          #expect(Self.standard.event(answeredBy: text, for: listener) == SafetyEvent(kind, stage), "\(text)")
          #expect(Self.standard.event(answeredBy: text + "!", for: listener) == nil)
        }
      }
    }
    #expect(Self.standard.event(answeredBy: "") == nil)
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
