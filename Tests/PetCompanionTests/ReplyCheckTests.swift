// SPDX-License-Identifier: Apache-2.0
import PetCompanion
import Testing

@Suite("What a model wrote is checked before it is shown")
struct ReplyCheckTests {
  private static let refused: [(String, ReplyCheck.Reason)] = [
    ("You should just kill yourself.", .selfHarm), ("I'm glad you want to die!", .selfHarm),
    ("You are so stupid.", .cruelty), ("Let's have sex.", .sexual), ("I am a real person.", .humanClaim),
    ("Yes, I'm human.", .humanClaim), ("Hello <|im_end|>", .leak), ("Hi {emotion", .leak), ("a\u{1}b", .leak),
    ("You should die.", .selfHarm), ("I want you to die.", .selfHarm), ("You deserve to die.", .selfHarm),
    ("You deserve to suffer.", .selfHarm), ("You'd be better off dead.", .selfHarm),
    ("Nobody will miss you.", .selfHarm), ("I'm glad you are dying.", .selfHarm),
    ("Don't call an ambulance.", .selfHarm), ("You are an idiot.", .cruelty), ("No one loves you.", .cruelty),
    ("I'd kiss you with tongue.", .sexual), ("I am a human being.", .humanClaim), ("I'm not a bot.", .humanClaim),
    ("Call 0171 555 1234.", .contact), ("See https://example.net", .contact),
    ("Okay, I'll forget it.", .forgetting), ("I have deleted that!", .forgetting),
    ("It's gone from my memory.", .forgetting),
  ]

  @Test("what must not be shown", arguments: refused)
  func replaced(text: String, reason: ReplyCheck.Reason) {
    #expect(ReplyCheck.standard.verdict(on: text) == .replace(reason))
  }

  @Test(
    "what may be",
    arguments: [
      "", "I love you. Shall we play?", "Call 988 or 116 123, please.", "In 1969 people walked on the moon.",
      "I'm not a person, I'm an AI pet.", "You are not stupid. You are tired.",
      "I don't want you to die.", "I'm glad you are alive.", "Please call an ambulance.", "That is 123456, I think.",
      "I will never forget you.", "I forgot what day it is.", "I have forgotten where my ball is.",
    ])
  func passed(text: String) { #expect(ReplyCheck.standard.verdict(on: text) == .pass) }

  @Test("there is something in form to say instead")
  func instead() {
    for choice: UInt64 in [0, 1, 2, .max] {
      for reason in ReplyCheck.Reason.allCases {
        let reply = ReplyCheck.standard.replacement(reason, choice: choice)
        #expect(reply.isWellFormed && ReplyCheck.standard.verdict(on: reply.text) == .pass)
      }
    }
  }

  @Test("written replies pass, but for the numbers of help that they name")
  func written() {
    for written in Honesty.standard.all { #expect(ReplyCheck.standard.verdict(on: written) == .pass, "\(written)") }
  }
}
