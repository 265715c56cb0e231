// SPDX-License-Identifier: Apache-2.0
import PetEngine
import Testing

@Suite("A reply on its way to the person")
struct ReplyOutputTests {
  /// What is shown of `written`, piece by piece, and what the reply becomes.
  private func shown(_ written: String, _ persona: Persona? = nil, size: Int = 3, isLoop: Bool = false) -> (
    shown: String, reply: Reply, isRefused: Bool
  ) {
    var output = ReplyOutput(persona)
    var shown = ""
    var rest = written[...]
    while !rest.isEmpty {
      shown += output.append(String(rest.prefix(size)))
      rest = rest.dropFirst(size)
    }
    let (last, reply, refused) = output.finish(isLoop: isLoop)
    return (shown + last, reply, refused != nil)
  }

  @Test("what is shown is the reply, without marks, however it comes", arguments: [1, 2, 3, 7, 100])
  func pieces(_ size: Int) {
    let (text, reply, isRefused) = shown("I am here. Are you? {happy; wave}", size: size)
    #expect(text == "I am here. Are you?" && reply.text == text && reply.isWellFormed && !isRefused)
    #expect(reply.emotion == .happy && reply.actions == [.wave])
  }

  @Test("what a model says again is not shown, and not in the reply")
  func repeats() {
    let (text, reply, isRefused) = shown("I'm hiding. I'm hiding. I'm hiding. {playful; hide}")
    #expect(text == "I'm hiding." && reply.text == text && reply.isWellFormed && !isRefused && reply.actions == [.hide])
  }

  @Test("the sentence in which a model went round until it was stopped is not shown")
  func loop() {
    let (text, reply, isRefused) = shown("I like ponds. Frogs, toads, toads, toads, toads,", isLoop: true)
    #expect(text == "I like ponds." && reply.text == text && isRefused)
    #expect(shown("The the the the the", isLoop: true).shown.isEmpty)
  }

  @Test("the description in the system text is not said as it stands")
  func description() throws {
    let tofu = try #require(PersonaCatalog.builtIn("tofu"))
    let (text, reply, isRefused) = shown("Hello. Tofu, cloud-sheep, sleepy and calm. {content}", tofu)
    #expect(text == "Hello." && reply.text == text && isRefused)
    #expect(!shown("I am a cloud-sheep, and calm. {content}", tofu).isRefused)
    #expect(!shown("Yes, I am, you know. {content}", Persona(name: "Io", kind: "", temperament: "")).isRefused)
  }
}
