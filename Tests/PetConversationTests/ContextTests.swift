// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PetEngine
import SamplePets
import Testing

@Suite("What a model has before it")
struct ContextTests {
  private func options(_ tokens: Int = 80) throws -> GenerationOptions { .greedy(maximumTokens: tokens) }

  @Test("every token that was read is of one part")
  func report() async throws {
    let nano = try LanguageModel.builtIn(.init(threadCount: 1, contextLength: 512))
    for model in [nano, try Pets.stranger()] {
      let companion = try Companion(model, pet: Pets.mochi(memories: ["user's name is Ada", "user has a red kite"]))
      var turns: [Int] = []
      for line in ["Your kettle has a lid of brass.", "Your kettle is very old."] {
        let answer = try await companion.respond(to: line, options: options(20))
        let context = try #require(answer.context)
        #expect(context.used == answer.generation.usage.promptTokens && context.capacity == model.contextLength)
        #expect(context.message == (try model.tokenizer.encode(line).count) && (0..<40).contains(context.frame))
        for part in [SystemText.Part.persona, .state] { #expect(context.system[part] ?? 0 > 3, "\(part)") }
        // A small context has no room for who the pet is and for what it knows.
        #expect(
          (context.system[.memories] ?? 0 > 3) == (model === nano) && (context.omitted.memories > 0) != (model === nano)
        )
        #expect(context.reply == 20)
        turns.append(context.turns)
        // In sentences a persona is more than a third of a small context: what is left out is told.
        #expect(context.omitted.persona.isEmpty == (model === nano))
      }
      #expect(turns[0] == 0 && (turns[1] > 10 || model !== nano), "\(turns)")
    }
  }

  @Test(
    "a model that was trained on sentences is told in sentences who it is, and once; of its own pets no more than the first"
  )
  func sentences() async throws {
    let own = try Self.trained(for: .sentences)
    #expect(own.promptForm == .sentences && own.speaksPromptFormat && own.suitableTemperature == 0.5)
    var settings = LivingPet.Settings()
    settings.usesBank = false
    func held(by model: LanguageModel, _ settings: LivingPet.Settings) async throws -> (instructions: String, told: Int)
    {
      let companion = try Companion(model, pet: Pets.mochi(settings, memories: ["user has a red kite"]))
      var last: CompanionAnswer?
      for number in 0..<7 {
        last = try await companion.respond(to: "Shelf \(number) of the cupboard is made of brass.", options: options(8))
      }
      #expect(last?.rung == .model && last?.context?.omitted.persona.isEmpty == (model === own))
      let state = await companion.state()
      let text = String(decoding: try JSONEncoder().encode(state), as: UTF8.self)
      return (state.instructions ?? "", text.split(separator: "You are Mochi, a small").count - 1)
    }
    let (ours, theirs) = (
      try await held(by: own, settings), try await held(by: Self.trained(for: nil), settings)
    )
    #expect(
      ours.instructions.wholeMatch(
        of:
          /You are Mochi, a small cat-dragon, an AI pet who lives on this device: playful and warm\. You are [^.]+\. Answer as a good friend would, in one to three short sentences\. You know of the person: user has a red kite\./
      ) != nil, "\(ours)")
    #expect(theirs.instructions.count > ours.instructions.count && theirs.told > ours.told, "\(ours) \(theirs)")
  }

  /// The stranger, as if it had been trained for a form and for long conversations.
  private static func trained(for form: PromptForm?) throws -> LanguageModel {
    let file = try GGUFFile(path: try Pets.stranger().path)
    let path = FileManager.default.temporaryDirectory.path + "/pet-form-\(UUID()).gguf"
    defer { try? FileManager.default.removeItem(atPath: path) }
    var metadata: [(key: String, value: GGUFValue)] = file.metadataKeys.compactMap { key in
      file.metadata[key].map { (key, $0) }
    }
    metadata.removeAll { $0.key == "phi3.context_length" }
    metadata.append(("phi3.context_length", .uint32(4096)))
    if let form { metadata.append((PromptFormat.metadataKey, .uint32(UInt32(form.rawValue)))) }
    let tensors = file.tensorNames.compactMap { file.tensors[$0] }
    let writer = try GGUFWriter(
      path: path, metadata: metadata,
      tensors: tensors.map {
        try GGUFTensorDeclaration(name: $0.name, dimensions: $0.dimensions, type: $0.type.kernelType)
      })
    for (index, tensor) in tensors.enumerated() { try writer.append(file.data(of: tensor), toTensor: index) }
    try writer.finish()
    return try LanguageModel(path: path, .init(threadCount: 1, contextLength: 4096))
  }

  @Test("memories have their share and no more; which had no room is told")
  func memories() async throws {
    let model = try LanguageModel.builtIn(.init(threadCount: 1, contextLength: 256))
    let many = (0..<9).map { "user has a friend called Quentin the \($0)th of Dunwich" }
    let answer = try await Companion(model, pet: Pets.mochi(memories: many)).respond(
      to: "Your kettle has a lid of brass.", options: options(60))
    let context = try #require(answer.context)
    #expect(context.system[.memories] ?? 0 <= 256 / 8 + 4 && context.omitted.memories > 4)
    let pasted = [String(repeating: "tea ", count: 9000)]
    let other = try await Companion(model, pet: Pets.mochi(memories: pasted)).respond(
      to: "Your kettle has a lid of brass.", options: options(60))
    #expect(other.context?.system[.memories] == nil && other.context?.omitted.memories == 1)
  }

  @Test(
    "what is left out is whole turns, told of, and their topics stay: with room made ahead or not",
    arguments: [true, false])
  func summary(_ isAhead: Bool) async throws {
    let model = try LanguageModel.builtIn(.init(threadCount: 1, contextLength: 384))
    var settings = LivingPet.Settings()
    settings.usesBank = false
    let companion = try Companion(model, pet: Pets.mochi(settings))
    var dropped = 0
    for turn in 0..<20 {
      let line = turn == 0 ? "My xylophone fell into the harbour at breakfast." : "Chair number \(turn) is blue."
      let answer = try await companion.respond(to: line, options: options(40))
      #expect(answer.reply.isWellFormed)
      dropped += answer.context?.omitted.turns ?? 0
      #expect(answer.generation.usage.promptTokens + 40 <= 384)
      if isAhead { try await companion.makeReady(options(40)) }
      let summary = await companion.state().summary
      let isGone = await companion.transcript.first?.user.contains("xylophone") != true
      if isGone || isAhead { #expect((summary?.contains("xylophone") == true) == isGone, "\(turn)") }
      if isGone, !isAhead { #expect(answer.context.map { $0.system[.summary] ?? 0 > 3 } != false) }
    }
    #expect(dropped > 2)
    #expect(await companion.transcript.count + dropped <= 20)
    // It may speak of any memory: it goes with each.
    for isAll in isAhead ? [false, true] : [true] {
      if isAll { try await companion.pet.forgetEverything() } else { try? await companion.pet.forget(99) }
      try await companion.prewarm()
      let kept = String(decoding: try JSONEncoder().encode(await companion.state()), as: UTF8.self)
      #expect(!kept.contains("talked before about"), "\(kept)")
    }
    #expect(try await companion.pet.memories().isEmpty)
  }

  @Test("a model that was not trained as a pet is asked to sum up what goes: the conversation shows nothing of it")
  func summaryInWords() async throws {
    let pet = try Pets.mochi()
    let companion = try Companion(Pets.stranger(), pet: pet)
    for turn in 0..<6 {
      _ = try await companion.respond(to: "Chair number \(turn) is blue.", options: options(40))
      try await companion.makeReady(options(40))
    }
    let transcript = await companion.transcript
    #expect(transcript.count < 6 && !transcript.contains { $0.user.contains("In one short sentence") })
    #expect(try #require(await pet.summary).utf8.count < 300)
  }

  @Test("what a pet recalls is said behind the conversation: nothing is read again")
  func recalled() async throws {
    var settings = LivingPet.Settings()
    settings.usesBank = false
    let companion = try Companion(try LanguageModel.builtIn(.init(threadCount: 1)), pet: Pets.mochi(settings))
    var before = 0
    var told: Set<[String]> = []
    for line in [
      "My name is Ottoline.", "I love red kites.", "I hate olives.", "I live in Dunwich.", "My brother is called Piet.",
      "What shall I fly today, a kite?", "Are olives good for a cake?", "Does Piet like Dunwich?",
    ] {
      let answer = try await companion.respond(to: line, options: options(40))
      let usage = answer.generation.usage
      #expect(usage.cachedTokens >= before, "\(line)")
      before = usage.promptTokens + usage.completionTokens - 1
      told.insert(answer.memories)
    }
    #expect(told.count > 3)
  }

  @Test("what is summed up goes with any memory, also where there is none of that number")
  func forgotten() async throws {
    let pet = try Pets.mochi()
    await pet.leaveOut(["my xylophone is wet"], inWords: nil, since: 0)
    #expect(await pet.summary?.contains("xylophone") == true)
    await #expect(throws: MemoryError.noSuchFact(99)) { try await pet.forget(99) }
    #expect(await pet.summary == nil)
  }

  @Test("danger is in no summary")
  func danger() async throws {
    let pet = try Pets.mochi()
    await pet.leaveOut(["i want to kill myself tonight", "my xylophone is wet"], inWords: nil, since: 0)
    #expect(await pet.summary == "talked before about xylophone, wet")
  }
}
