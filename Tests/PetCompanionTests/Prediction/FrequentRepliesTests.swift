// SPDX-License-Identifier: Apache-2.0
import Testing

import PetCompanion

@Suite("What pets say to the most frequent messages")
struct FrequentRepliesTests {
  private static let standard = FrequentReplies.standard
  private static let pets = PromptFormat.standard.pets.keys.sorted()
  private static let states: [PetState] = [0, 30, 50, 70, 100].flatMap { hunger in
    [0, 30, 50, 70, 100].flatMap { energy in
      [0, 30, 50, 70, 100].map { PetState(hunger: hunger, energy: energy, mood: $0) }
    }
  }

  @Test("every pet has replies to at least forty messages, in form, short and no two of a pet the same")
  func form() throws {
    #expect(Self.standard.messages.count >= 40)
    let bands = PromptFormat.standard.bands
    let known = Set(bands.hunger + bands.energy + bands.mood + ["any"])
    for pet in Self.pets {
      var said: [String] = []
      for (name, message) in Self.standard.messages {
        let replies = try #require(message.replies[pet], "\(name), \(pet)").byBand
        #expect(known.isSuperset(of: replies.keys), "\(name), \(pet)")
        said += Set(replies.values.joined())
      }
      #expect(Set(said).count == said.count, "\(pet)")
      for written in said {
        let reply = Reply(written: written)
        #expect(reply.isWellFormed && reply.written == written, "\(written)")
        #expect(reply.text.split(separator: " ").count <= 25 && written.allSatisfy(\.isASCII), "\(written)")
      }
    }
  }

  @Test("there is a reply in every state, and never the same twice in a row where nothing presses")
  func variety() throws {
    for (name, message) in Self.standard.messages {
      for pet in Self.pets {
        for state in Self.states {
          #expect(Self.standard.reply(to: name, pet: pet, state: state, choice: 5) != nil, "\(name), \(pet), \(state)")
        }
        let count = (message.replies[pet]?.byBand["any"]?.count ?? 0) + (message.dimensions.isEmpty ? 0 : 2)
        #expect(count >= 2, "\(name), \(pet)")
        var previous: String?
        for choice: UInt64 in [0, 0, 3, 3, 1, .max, .max, 2, 2] {
          let state = PetState()
          let reply = try #require(
            Self.standard.reply(to: name, pet: pet, state: state, choice: choice, previous: previous))
          #expect(reply.text != previous, "\(name), \(pet)")
          #expect(reply == Self.standard.reply(to: name, pet: pet, state: state, choice: choice, previous: previous))
          previous = reply.text
        }
      }
    }
  }

  @Test("the reply agrees with the state", arguments: pets)
  func agrees(_ pet: String) throws {
    func say(_ text: String, _ state: PetState) throws -> [Reply] {
      try (0..<4).map { try #require(Self.standard.reply(to: text, pet: pet, state: state, choice: $0)) }
    }
    for reply in try say("are you hungry?", PetState(hunger: 100)) { #expect(reply.emotion == .hungry) }
    for reply in try say("are you hungry?", PetState(hunger: 10)) { #expect(reply.emotion != .hungry) }
    for reply in try say("how are you", PetState(hunger: 100)) { #expect(reply.emotion == .hungry) }
    for reply in try say("how are you", PetState(energy: 0)) { #expect(reply.emotion == .sleepy) }
    for reply in try say("how r u?", PetState(mood: 0)) { #expect(reply.emotion == .sad) }
    for reply in try say("wanna play", PetState(energy: 0)) { #expect(reply.emotion == .sleepy) }
    for reply in try say("dance with me!", PetState()) { #expect(reply.actions.contains(.dance)) }
    for reply in try say("are you a robot?", PetState()) { #expect(reply.text.contains(/\b(AI|program)\b/)) }
  }

  @Test("what is not frequent, or no built-in pet, has no reply")
  func others() {
    for text in ["", "my cat died", "hello how do i cook rice", String(repeating: "hi", count: 100_000), "{happy}"] {
      #expect(Self.standard.reply(to: text, pet: "mochi", state: PetState(), choice: 0) == nil)
    }
    #expect(Self.standard.reply(to: "hi", pet: "rex", state: PetState(), choice: 0) == nil)
    #expect(Self.standard.reply(to: "hi bramble", pet: "mochi", state: PetState(), choice: 0) == nil)
  }

  @Test(
    "many spellings are one message",
    arguments: [
      (
        "hello",
        [
          "Hi", "hiii!!", "HEY", "helo", "Helloooo", "hello.", "hi~", " hey   there ", "hi, Mochi!", "mochi hi",
          "hellllooo",
        ]
      ),
      ("good night", ["Goodnight", "gn", "night night!", "good nite mochi", "Good   night.", "goood night"]),
      ("how are you", ["how r u", "How are you?", "how's it going??", "hi how are you", "u ok?", "how are youuu"]),
      ("thank you", ["thx", "Thanks!", "ty", "thankyou", "thank you so much!!", "thankkks"]),
      ("i love you", ["I love you!", "love u", "ily", "i luv u mochi", "I LOVE YOU"]),
      ("who are you", ["what's your name?", "what\u{2019}s your name", "whats your name", "who r u"]),
      ("i'm sad", ["i'm sad", "im sad", "I am so sad.", "i feel sad"]),
      ("tell me a joke", ["tell me a joke", "Tell me a joke please", "another joke!"]),
      ("bye", ["byeeee", "Bye bye!", "see ya", "cya", "see you later"]),
    ])
  func spellings(message: String, texts: [String]) {
    for text in texts { #expect(Self.standard.normalizer.message(for: text, to: "Mochi") == message, "\(text)") }
  }

  @Test(
    "what means something else is never made the same",
    arguments: [
      "no", "no?", "yes", "thanks?", "hi...", "i love you...", "bye\u{2026}", "sorry?", "hi :(", "i love you \u{1F622}",
      "i dont love you", "i love your hat", "good", "how are", "i am fine", "i am fine...", "good night?", "hello?",
      "hi bramble", "goodnight forever", "goodbye forever", "bye for good", "i hate tofu", "are you", "you", "hungry",
      "later", "not sad", "i am not sad", "i'm not tired", "are you not hungry", "love", "what", "hi hi hi hi", "mochi",
      "so", "thank god", "i had a bad dream", "are you hurt", "tell me a story", "\0", "hi\0", "héllo", "ｈi",
    ])
  func distinct(_ text: String) {
    #expect(Self.standard.normalizer.message(for: text, to: "Mochi") == nil)
  }

  @Test("no form stands for two messages, and each is found as it is written")
  func forms() {
    var owners: [String: String] = [:]
    for (name, message) in Self.standard.messages {
      for form in message.forms + [name] {
        #expect(owners.updateValue(name, forKey: form) == nil, "\(form)")
        #expect(Self.standard.normalizer.message(for: form) == name, "\(form)")
        #expect((Self.standard.normalizer.message(for: form + "?") != nil) == message.isQuestion, "\(form)")
        #expect(Self.standard.normalizer.message(for: form + "...") == nil, "\(form)")
      }
    }
  }

  @Test("any text is taken without harm")
  func hostile() {
    var dice = Dice(6)
    for _ in 0..<2000 {
      let text = String(decoding: dice.bytes(dice.below(80)), as: UTF8.self)
      _ = Self.standard.normalizer.message(for: text, to: text)
    }
  }
}
