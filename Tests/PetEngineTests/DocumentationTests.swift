// SPDX-License-Identifier: Apache-2.0
import Foundation
import PetEngine
import SamplePets
import Testing

/// The code in the documentation is this code.
@Suite struct DocumentationTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// The lines of ```swift blocks of a page.
  private func examples(_ page: String) throws -> [String] {
    var isInside = false
    var lines: [String] = []
    for line in try String(contentsOf: Self.root.appending(path: page), encoding: .utf8).split(separator: "\n") {
      if line.hasPrefix("```") {
        isInside = line == "```swift"
      } else if isInside {
        lines.append(line.trimmingCharacters(in: .whitespaces))
      }
    }
    return lines
  }

  @Test(
    arguments: [
      ("README.md", 5, []), ("Sources/PetEngine/PetEngine.docc/PetEngine.md", 5, []),
      ("Sources/PetEngine/PetEngine.docc/Settings.md", 2, []),
      ("Sources/PetEngine/PetEngine.docc/Classifiers.md", 8, []),
      ("Sources/PetEngine/PetEngine.docc/FirstReply.md", 15, ["Examples/FirstReply"]),
      (
        "Sources/PetEngine/PetEngine.docc/Embedding.md", 15,
        ["Examples/ChatService", "Tests/PetEngineLifecycleTests", "Tests/PetEngineTestingTests"]
      ),
    ])
  func examplesAreTested(_ page: String, _ count: Int, _ folders: [String]) throws {
    var source = try String(contentsOfFile: #filePath, encoding: .utf8)
    for folder in folders {
      let folder = Self.root.appending(path: folder).path
      for file in try FileManager.default.contentsOfDirectory(atPath: folder) where file.hasSuffix(".swift") {
        source += try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)
      }
    }
    let lines = try examples(page)
    #expect(lines.count >= count)
    for line in lines { #expect(source.contains(line), "not in what is built and tested: \(line)") }
  }

  /// The tutorial shows its two files whole, in order.
  @Test func tutorialIsWhole() throws {
    let lines = try examples("Sources/PetEngine/PetEngine.docc/FirstReply.md").filter { !$0.isEmpty }
    let files = try ["Package.swift", "main.swift"].flatMap { name in
      try String(contentsOf: Self.root.appending(path: "Examples/FirstReply/\(name)"), encoding: .utf8)
        .split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    }
    #expect(lines == files)
  }

  @Test func classifiers() async throws {
    let settings = Configuration(.watch)
    let store = ModelStore(folder: "/nonexistent", catalog: try .builtIn())
    func example(_ name: String) throws -> [UInt8] {
      [UInt8](try Data(contentsOf: Self.root.appending(path: "Examples/classify/\(name)")))
    }
    let (photo, recording, pet) = (try example("photo.jpg"), try example("talk.wav"), try Pets.mochi())
    let runtime = ModelRuntime(settings)
    let classifiers = try await runtime.addClassifiers(settings, in: store) { inference in
      print(inference.version, inference.latency)
    }
    let face = try await classifiers.expression(try Picture(photo))
    let voice = try await classifiers.affect(try Waveform(wav: recording))
    await pet.notice(face)
    await pet.notice(voice)
    #expect(face.faces == 1)
    #expect(await runtime.loadedModels().map(\.name) == ["facial-expression", "vocal-affect"])
  }

  @Test func firstReply() async throws {
    let path = Self.root.appending(path: "Tests/Fixtures/models/phi3-mha/model.gguf").path
    let model = try await LanguageModel.load(path: path, .init(threadCount: 2))
    let session = try LanguageModelSession(model: model, instructions: "You are a kind cat.")
    let answer = try await session.respond(to: "Hello!")
    print(answer.text, answer.usage.completionTokens)
    var pieces = ""
    var last = ResponseStream.Snapshot?.none
    for try await snapshot in session.streamResponse(to: "And you?", options: GenerationOptions(temperature: 0.3)) {
      print(snapshot.piece, terminator: "")
      pieces += snapshot.piece
      last = snapshot
    }
    #expect(answer.usage.completionTokens > 0 && answer.usage.promptTokens > 0)
    #expect(last?.text == pieces && last?.result?.text == pieces)
  }

  @Test func computedOnce() async throws {
    let path = Self.root.appending(path: "Tests/Fixtures/models/phi3-mha/model.gguf").path
    let file = FileManager.default.temporaryDirectory.appending(path: "pet-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: file) }
    let model = try LanguageModel(path: path, .init(threadCount: 2))
    let pet = try LanguageModelSession(model: model, instructions: "You are a kind cat.")
    _ = try await pet.respond(to: "Hello!", options: .greedy(maximumTokens: 16))
    let twin = await pet.fork()
    try await pet.save(to: file)
    let same = try LanguageModelSession(model: model, restoring: file)
    for session in [twin, same] {
      #expect(try await session.respond(to: "And now?", options: .greedy(maximumTokens: 4)).usage.cachedTokens > 10)
    }
  }

  struct Plan: Decodable {
    enum Weather: String, Decodable, CaseIterable { case sun, rain, snow }
    let weather: Weather
    let minutes: UInt8
    let isFar: Bool?
  }

  struct Walk: Generable {
    let place: String
    let minutes: Int

    static let schema = GenerationSchema.object([
      "place": .string(maximumLength: 40), "minutes": .integer(in: 5...90),
    ])
  }

  @Test func values() async throws {
    let path = Self.root.appending(path: "Tests/Fixtures/models/phi3-mha/model.gguf").path
    let session = try LanguageModelSession(model: LanguageModel(path: path, .init(threadCount: 2)))
    let text = try await session.respond(to: "Hello!").text
    let plan = try await session.respond(to: "Where shall we go?", generating: Plan.self).value
    #expect(!text.isEmpty && Plan.Weather.allCases.contains(plan.weather))
    let walk = try await session.respond(
      to: "Where shall we go?", generating: Walk.self, options: .greedy(maximumTokens: 100)
    ).value
    #expect((5...90).contains(walk.minutes) && walk.place.unicodeScalars.count <= 40)
  }

  /// The README's example, on the model that is part of the program.
  @Test func pet() async throws {
    // Or a file: try await LanguageModel.load(path: "model.gguf", .init(threadCount: 2))
    let model = try LanguageModel.builtIn(.init(threadCount: 1))
    let mochi = Persona(name: "Mochi", kind: "cat-dragon", temperament: "playful and warm")
    let life = LivingPet(mochi, state: PetState(hunger: 80), memories: ["user's name is Ada"])
    let pet = try Companion(model, pet: life)
    let answer = try await pet.respond(to: "Hello!", options: .greedy())
    print(answer.reply.text, answer.reply.emotion?.rawValue ?? "", answer.reply.actions.map(\.rawValue))
    #expect(!answer.reply.text.isEmpty && answer.reply.isWellFormed)
  }

  @Test func runtime() async throws {
    let settings = Configuration(.watch)
    let store = ModelStore(folder: "/nonexistent", catalog: try Catalog.builtIn())
    let runtime = ModelRuntime(settings)
    let language = try await runtime.addLanguageModel(settings, in: store).model
    let kept = try await language.use { model in
      let session = try LanguageModelSession(model: model, instructions: "You are a kind cat.")
      _ = try await session.respond(to: "Hello!", options: .greedy(maximumTokens: 16))
      return await session.state()
    }
    await language.unload()
    let next = try await language.use { model in
      try await LanguageModelSession(model: model, resuming: kept).respond(to: "And now?")
    }
    #expect(kept.exchanges.count == 1 && next.usage.promptTokens > 20)
  }

  /// The file and the table of Settings.md.
  @Test func settings() throws {
    let page = try String(
      contentsOf: Self.root.appending(path: "Sources/PetEngine/PetEngine.docc/Settings.md"), encoding: .utf8)
    let toml = try #require(page.components(separatedBy: "```toml\n").last?.components(separatedBy: "```").first)
    let file = FileManager.default.temporaryDirectory.path + "/pet-settings-\(UUID().uuidString).toml"
    try toml.write(toFile: file, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(atPath: file) }
    let path = Self.root.appending(path: "Tests/Fixtures/models/phi3-mha/model.gguf").path
    let settings = try Configuration(.init(file: file, environment: ["PET_THREADS": "1"]))
    let small = try LanguageModel(path: path, .init(settings))
    #expect(small.threadCount == 1 && settings.context.value == 1024 && small.contextLength <= 1024)
    #expect(settings.memoryBudget.value == 300_000_000 && settings.idleTimeToLive.value == .seconds(300))

    let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { row in
      row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces).replacing("`", with: "") }
    }
    #expect(rows.map { $0[0] } == SettingKey.allCases.map(\.rawValue))
    #expect(rows.map { $0[1] } == SettingKey.allCases.map(\.environmentName))
    for (column, profile) in [(2, Profile.phone), (3, .watch)] {
      for (row, entry) in zip(rows, Configuration(profile).entries) {
        let value: String? =
          switch entry.value {
          case .text(let text): text
          case .count(let count): entry.key == .threads && profile == .phone ? "all it may use" : "\(count)"
          case .bytes(let bytes): "\(bytes / 1_000_000) MB"
          case .seconds(let seconds): "\(seconds / 60) min"
          case .flag(let flag): "\(flag)"
          case .none: "its default"
          }
        #expect(row[column] == value, "\(entry.key) of \(profile)")
      }
    }
  }

  @Test func lazyLoading() async throws {
    let runtime = ModelRuntime(budget: 300 << 20)
    let pet = try await runtime.add(
      "pet", loader: .language(.builtIn(name: "nano-v6.gguf"), .init(Configuration(.watch))))
    let words = try await pet.use { try await $0.complete("Once", .greedy(maximumTokens: 8)).text }
    await runtime.enterBackground()
    #expect(!words.isEmpty)
    #expect(await runtime.loadedModels().isEmpty)
  }

  /// What `pet models show` says of a model stands in the documentation too.
  @Test func modelCards() throws {
    func flat(_ text: String) -> String { text.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
    let page = flat(
      try String(
        contentsOf: Self.root.appending(path: "Sources/PetEngine/PetEngine.docc/ModelCards.md"), encoding: .utf8))
    var cards = 0
    for model in try Catalog.builtIn().models {
      guard let card = model.card else { continue }
      cards += 1
      #expect(page.contains("## \(model.name)"))
      for text in [card.data, card.training, card.figures, card.limits] {
        #expect(page.contains(flat(text)), "not in ModelCards.md: \(text)")
      }
    }
    #expect(cards >= 3)
  }
}
