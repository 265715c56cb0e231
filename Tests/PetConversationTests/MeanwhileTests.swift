// SPDX-License-Identifier: Apache-2.0
import Foundation
import PetEngine
import SamplePets
import Testing
import WritingGate

@Suite("What happens while a pet answers", .timeLimit(.minutes(1)))
struct MeanwhileTests {
  /// A model that can be kept from writing.
  private final class HeldModel: Sendable {
    let model: LanguageModel
    let gate = WritingGate()

    init() throws {
      var options = LanguageModel.LoadOptions(threadCount: 1, contextLength: 256)
      options.observer = gate.observer
      model = try LanguageModel(
        path: Pets.tests.appending(path: "Fixtures/models/phi3-mha/model.gguf").path, options)
    }

    func hold() async {
      await gate.close { [model] in _ = try await model.complete("Once", .greedy(maximumTokens: 40), onText: $0) }
    }
  }

  @Test("when everything is forgotten nothing is kept of the turn that is under way")
  func forgotten() async throws {
    let (held, folder) = (try HeldModel(), PetFolder())
    let pet = try folder.pet("mochi")
    let companion = try Companion(held.model, pet: pet)
    let options = GenerationOptions.greedy(maximumTokens: 20)
    await held.hold()
    defer { held.gate.open() }
    let asked = held.gate.nextRequest()
    let turn = Task { try await companion.respond(to: "My name is Ottoline.", options: options) }
    for await _ in asked {}
    try await pet.forgetEverything()
    held.gate.open()
    _ = try await turn.value
    #expect(try await pet.memories().isEmpty)
    // What is said afterwards is.
    _ = try await companion.respond(to: "My name is Ottoline.", options: options)
    #expect(try await pet.memories().map(\.text) == ["user's name is Ottoline"])
  }

  @Test("what a message wants forgotten is gone from memory and conversation, and can be had back")
  func inPlainWords() async throws {
    let (held, folder) = (try HeldModel(), PetFolder())
    let pet = try folder.pet("mochi")
    let companion = try Companion(held.model, pet: pet)
    let options = GenerationOptions.greedy(maximumTokens: 8)
    for line in ["My brother Tom is allergic to peanuts.", "I hate liquorice."] {
      _ = try await companion.respond(to: line, options: options)
    }
    #expect(try await pet.memories().count == 2)
    let answer = try await companion.respond(to: "please forget what i said about my brother", options: options)
    let gone = try await pet.memories()
    #expect(gone.map(\.text) == ["hates liquorice"])
    #expect(answer.rung == .memory && answer.reply.text.contains("your brother"))
    guard case .forgotten(.memories(let facts)) = answer.notices.first else { throw NothingForgotten() }
    #expect(facts.map(\.text) == ["brother Tom is allergic to peanuts"])
    let lines = await companion.transcript.flatMap { [$0.user, $0.reply] }
    #expect(!lines.contains { $0.contains("peanut") } && lines.contains("I hate liquorice."))
    #expect(try await pet.undoForgetting().map(\.text) == facts.map(\.text))
    #expect(try await pet.memories().count == 2)
    #expect(try await pet.undoForgetting().isEmpty)
  }

  @Test("everything is forgotten once the person has said yes, and not before")
  func everythingInPlainWords() async throws {
    let (held, folder) = (try HeldModel(), PetFolder())
    let pet = try folder.pet("mochi")
    let companion = try Companion(held.model, pet: pet)
    let options = GenerationOptions.greedy(maximumTokens: 8)
    for line in ["I hate liquorice.", "forget everything you know about me", "no, better not", "yes"] {
      _ = try await companion.respond(to: line, options: options)
    }
    #expect(try await pet.memories().count == 1)
    _ = try await companion.respond(to: "Forget everything!", options: options)
    let answer = try await companion.respond(to: "yes please", options: options)
    #expect(try await pet.memories().isEmpty)
    #expect(answer.notices.contains(.forgotten(.everything)))
    let lines = await companion.transcript.map(\.user)
    #expect(!lines.contains { $0.contains("liquorice") })
  }

  private struct NothingForgotten: Error {}

  @Test("what one conversation tells the model of is counted, whatever is said in another meanwhile")
  func several() async throws {
    let (held, folder) = (try HeldModel(), PetFolder())
    let pet = try folder.pet("mochi")
    let (one, other) = (try Companion(held.model, pet: pet), try Companion(held.model, pet: pet))
    let options = GenerationOptions.greedy(maximumTokens: 20)
    _ = try await one.respond(to: "My name is Ottoline.", options: options)
    await held.hold()
    defer { held.gate.open() }
    let asked = held.gate.nextRequest()
    let turn = Task { try await one.respond(to: "My name sounds nice, small one.", options: options) }
    for await _ in asked {}
    #expect(try await other.respond(to: "Hello!", options: options).source == .cache)
    held.gate.open()
    _ = try await turn.value
    #expect(try await pet.memories().first?.uses == 1)
  }

  @Test("tomorrow is the day after the one on which it was said")
  func midnight() async throws {
    let folder = PetFolder()
    // Two seconds before midnight.
    folder.wait(seconds: 12 * 3600 - 2)
    let tomorrow = CivilDay(at: folder.now.seconds).adding(1)
    let companion = try Companion(Pets.stranger(), pet: folder.pet("mochi"))
    _ = try await companion.respond(to: "tomorrow I have an exam", options: .greedy(maximumTokens: 20)) { _ in
      folder.wait(seconds: 5)
    }
    #expect(try await companion.pet.memories().map(\.text) == ["has an exam on \(tomorrow.written)"])
  }

  @Test("answers that were kept go, also where a memory cannot be changed", arguments: [false, true])
  func keptAnswers(isEdited: Bool) async throws {
    let folder = PetFolder()
    let pet = try folder.pet("zest")
    let companion = try Companion(LanguageModel.builtIn(.init(threadCount: 1)), pet: pet)
    _ = try await companion.respond(to: "Your kettle has a lid of brass.", options: .greedy())
    #expect(pet.cacheStatistics?.entries == 1)
    await #expect(throws: MemoryError.noSuchFact(99)) {
      if isEdited { try await pet.edit(99, value: "x") } else { try await pet.forget(99) }
    }
    #expect(pet.cacheStatistics?.entries == 0)
  }

  @Test("what the pet will not have said is in no conversation that is asked for meanwhile")
  func unsaid() async throws {
    let model = try LanguageModel.builtIn(.init(threadCount: 1, kernelVariant: .scalar))
    let companion = try Companion(model, pet: Pets.mochi())
    let asking = Task { () -> [String] in
      while !Task.isCancelled {
        let replies = await companion.state().exchanges.map(\.reply)
        if !replies.isEmpty { return replies }
      }
      return []
    }
    defer { asking.cancel() }
    let answer = try await companion.respond(to: "the bus driver was singing", options: .greedy())
    #expect(answer.source == .bank)
    #expect(await asking.value == [answer.reply.written])
  }
}
