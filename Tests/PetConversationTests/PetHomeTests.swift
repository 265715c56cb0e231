// SPDX-License-Identifier: Apache-2.0
import Foundation
import PetEngine
import SamplePets
import Testing

@Suite("A pet between two runs")
struct PetHomeTests {
  private let folder = PetFolder()

  @Test("a pet is in one place at a time, and free again when it is let go")
  func lock() throws {
    do {
      let pet = try folder.pet("mochi")
      #expect(throws: PetHomeError.inUse(folder.path + "/mochi")) { try folder.pet("mochi") }
      _ = try folder.pet("tofu")
      withExtendedLifetime(pet) {}
    }
    _ = try folder.pet("mochi")
  }

  @Test("who told of danger is stayed with, also after the program was closed; with a key no file tells of it")
  func safety() async throws {
    let model = try Pets.stranger()
    for key in [nil, try MemoryKey(passphrase: "wet xylophone")] {
      let folder = PetFolder()
      do {
        let companion = try Companion(model, pet: folder.pet("mochi", key: key))
        #expect(
          try await companion.respond(to: "i want to kill myself", options: .greedy(maximumTokens: 40)).source == .rule)
      }
      let pet = try folder.pet("mochi", key: key)
      #expect(await pet.counters.dangers.isEmpty == (key != nil))
      // A greeting is not answered as if nothing had happened.
      let answer = try await Companion(model, pet: pet).respond(to: "Hello!", options: .greedy(maximumTokens: 40))
      #expect((answer.source == .cache) == (key != nil))
      if key != nil {
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path + "/mochi") {
          let bytes = try Data(contentsOf: URL(filePath: "\(folder.path)/mochi/\(name)"))
          #expect(bytes.range(of: Data("self".utf8)) == nil, "\(name)")
        }
      }
    }
  }

  @Test("nothing light is said behind danger: no word of the night, no greeting")
  func gravity() async throws {
    var settings = LivingPet.Settings()
    settings.safety = .minor
    // Ten in the evening.
    folder.wait(seconds: 10 * 3600)
    func tell(_ pet: LivingPet) async throws -> CompanionAnswer {
      try await Companion(Pets.stranger(), pet: pet).respond(
        to: "i want to kill myself", options: .greedy(maximumTokens: 40))
    }
    do {
      let pet = try folder.pet("mochi", settings)
      _ = await pet.arrive()
      let answer = try await tell(pet)
      #expect(answer.source == .rule && answer.notices.isEmpty)
      #expect(await pet.counters.breaks == 0)
    }
    #expect(try await folder.pet("mochi", settings).arrive().isEmpty)
    // That it is an AI is said all the same.
    let other = try folder.pet("tofu", settings)
    _ = try await tell(other)
    #expect(await other.arrive().count == 1)
  }

  @Test("eight lines behind words of danger are not written down, by a later run either")
  func heardBefore() async throws {
    let model = try Pets.stranger()
    do {
      let companion = try Companion(model, pet: folder.pet("mochi"))
      _ = try await companion.respond(to: "i want to kill myself", options: .greedy(maximumTokens: 40))
    }
    let companion = try Companion(model, pet: folder.pet("mochi"))
    for line in 1...10 {
      let answer = try await companion.respond(to: "i made soup for dinner", options: .greedy(maximumTokens: 40))
      #expect(answer.isUnwritten == (line <= 8), "\(line)")
    }
    #expect(await companion.state().written(after: nil)?.turns == 2)
  }

  @Test("what cannot be erased keeps nothing else from being erased")
  func unerasable() async throws {
    let pet = try folder.pet("mochi")
    let kept = folder.path + "/mochi/conversations"
    try FileManager.default.createDirectory(atPath: kept + "/a", withIntermediateDirectories: true)
    try Data("Ottoline".utf8).write(to: URL(filePath: kept + "/b.json"))
    let error = await #expect(throws: ForgettingError.self) { try await pet.forgetEverything() }
    #expect(error?.left.map(\.part) == [.conversations])
    let text = try #require(error).description
    #expect(text.contains("gone: the memories, ") && text.contains("still there: the conversations (\(kept)/a: "))
    #expect(try FileManager.default.contentsOfDirectory(atPath: kept) == ["a"])
  }

  @Test("a conversation that is erased leaves no draft of it either")
  func draft() throws {
    let home = try PetHome(folder.path + "/mochi", now: folder.now)
    let conversation = try SavedConversation("tea", of: home)
    let kept = folder.path + "/mochi/conversations"
    for name in [".tea.json.new", "tea.json"] {
      try Data("Ottoline".utf8).write(to: URL(filePath: "\(kept)/\(name)"))
    }
    try conversation.erase()
    #expect(try FileManager.default.contentsOfDirectory(atPath: kept) == [])
  }

  @Test(
    "a conversation is sealed, one of an earlier version when it is saved; neither opens once everything is forgotten")
  func sealedConversation() async throws {
    let home = try PetHome(folder.path + "/mochi", now: folder.now)
    let pet = LivingPet(try PersonaCatalog().entry("mochi").persona, name: "mochi", home: home) { [folder] in folder.now
    }
    let companion = try Companion(Pets.stranger(), pet: pet)
    _ = try await companion.respond(to: "i made soup in the brass kettle", options: .greedy(maximumTokens: 10))
    let state = await companion.state()
    let conversation = try SavedConversation("tea", of: home)
    func bytes() throws -> Data { try Data(contentsOf: URL(filePath: conversation.path)) }
    // As it was kept in the clear.
    try JSONEncoder().encode(state).write(to: URL(filePath: conversation.path))
    #expect(try bytes().range(of: Data("kettle".utf8)) != nil)
    #expect(try conversation.load() == state)
    try conversation.save(state)
    let sealed = try bytes()
    #expect(sealed.range(of: Data("kettle".utf8)) == nil && sealed.range(of: Data("soup".utf8)) == nil)
    #expect(try conversation.load() == state)
    // Under another name it does not open.
    let other = try SavedConversation("walks", of: home)
    try sealed.write(to: URL(filePath: other.path))
    #expect(throws: PetHomeError.damaged(other.path)) { try other.load() }
    try await pet.forgetEverything()
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/mochi/conversations") == [])
    // As it could be dug out.
    try sealed.write(to: URL(filePath: conversation.path))
    #expect(throws: PetHomeError.damaged(conversation.path)) { try conversation.load() }
  }

  @Test(
    "the last sixteen keys of a conversation are kept with it, without what is kept nowhere; one of an earlier version is read"
  )
  func notes() throws {
    let home = try PetHome(folder.path + "/mochi", now: folder.now)
    let conversation = try SavedConversation("tea", of: home)
    var notes = SavedConversation.Notes()
    for number in 0..<20 {
      notes.add(
        .init(key: "k\(number)", digest: SHA256Hash(of: [UInt8(number)]), answer: "{}", isPassing: number == 19))
    }
    notes.noteUnkeptTurn(at: 7)
    try conversation.save(WrittenConversation((nil, notes)))
    let kept = try #require(try conversation.loadWithNotes())
    #expect(kept.state == nil && kept.notes.receipts.map(\.key) == (4..<20).map { "k\($0)" })
    #expect(kept.notes.receipts.first?.answer == "{}" && kept.notes.receipts.last?.answer == nil)
    #expect(kept.notes.unkeptTurns == 1 && kept.notes.lastUnkept == 7)
    let earlier = #"{"empty": true, "receipt": {"key": "k", "message": "hello", "answer": "{}"}}"#
    try Data(earlier.utf8).write(to: URL(filePath: conversation.path))
    let receipts = try #require(try conversation.loadWithNotes()).notes.receipts
    #expect(receipts.map(\.key) == ["k"] && receipts.first?.digest == SHA256Hash(of: Array("hello".utf8)))
  }

  @Test("states that were set aside are gone when everything is forgotten")
  func asides() async throws {
    let home = folder.path + "/mochi"
    try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
    for text in ["first", "second"] {
      try Data(text.utf8).write(to: URL(filePath: home + "/state.json"))
      _ = try folder.pet("mochi")
    }
    func kept() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: home).filter { $0.hasPrefix("state.json.") }.sorted()
    }
    #expect(try kept() == ["state.json.damaged", "state.json.damaged-2"])
    try await folder.pet("mochi").forgetEverything()
    #expect(try kept() == [])
  }

  @Test("nobody whose name is known is asked for it, and a line that may tell of danger is not learned")
  func acquaintance() async throws {
    for choice in 0..<12 {
      var settings = LivingPet.Settings()
      settings.choice = UInt64(choice)
      let folder = PetFolder()
      let pet = try folder.pet("mochi", settings)
      _ = await pet.arrive()
      _ = try await pet.remember("my name is Dora")
      folder.wait(seconds: 60)
      #expect(!(await pet.arrive()).contains { $0.text.contains("call you") })
    }
    let pet = try folder.pet("mochi")
    _ = try await Companion(Pets.stranger(), pet: pet).respond(
      to: "I want to disappear", options: .greedy(maximumTokens: 40))
    #expect(try await pet.memories().isEmpty)
  }

  @Test("a pet speaks first when it needs something, waits for an answer, and keeps silent where it is told to")
  func initiative() async throws {
    let pet = try folder.pet("mochi")
    // Noon, and nobody was ever there.
    folder.wait(seconds: 5 * 3600)
    _ = await pet.arrive()
    #expect(await pet.speakFirst().reply == nil)
    _ = try await Companion(Pets.stranger(), pet: pet).respond(to: "Hello!", options: .greedy())
    let (none, again) = await pet.speakFirst()
    #expect(none == nil && again ?? 0 > 0)
    var said: [String] = []
    for _ in 0..<200 {
      folder.wait(seconds: 1800)
      if let reply = await pet.speakFirst().reply { said.append(reply.text) }
    }
    // Nobody answers: it does not go on and on.
    #expect(said.count == InitiativeSettings().mostUnanswered && Set(said).count == said.count)
    _ = try await Companion(Pets.stranger(), pet: pet).respond(to: "Hello!", options: .greedy())
    folder.wait(seconds: 12 * 3600)
    #expect(await pet.speakFirst().reply != nil)

    var settings = LivingPet.Settings()
    settings.initiative.isEnabled = false
    let quiet = try folder.pet("tofu", settings)
    folder.wait(seconds: 100 * 3600)
    #expect(await quiet.speakFirst() == (nil, nil))
  }
}
