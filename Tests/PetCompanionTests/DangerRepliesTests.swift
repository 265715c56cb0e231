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
      var reader = ReplyReader()
      _ = reader.append(written)
      let reply = reader.finish()
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
