import Foundation
import PetEngine
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

  @Test(arguments: ["README.md", "Sources/PetEngine/PetEngine.docc/PetEngine.md"])
  func examplesAreTested(_ page: String) throws {
    let source = try String(contentsOfFile: #filePath, encoding: .utf8)
    let lines = try examples(page)
    #expect(lines.count >= 5)
    for line in lines { #expect(source.contains(line), "not in this file: \(line)") }
  }

  @Test func firstReply() async throws {
    let path = Self.root.appending(path: "Tests/Fixtures/models/phi3-mha/model.gguf").path
    var reply = ""
    var usage = GenerationResult.Usage()
    let model = try LanguageModel(path: path, .init(threadCount: 2))
    let session = try LanguageModelSession(model, instructions: "You are a kind cat.")
    for try await event in session.streamResponse(to: "Hello!", try .greedy(maximumTokens: 16)) {
      switch event {
      case .text(let text): reply += text
      case .finished(let result): usage = result.usage
      }
    }
    #expect(!reply.isEmpty)
    #expect(usage.completionTokens > 0 && usage.promptTokens > 0)
  }

  /// The README's example, on the model that is part of the program.
  @Test func pet() async throws {
    let model = try LanguageModel.builtIn(.init(threadCount: 1))  // or LanguageModel(path: "model.gguf", ...)
    let mochi = PromptFormat.Pet(name: "Mochi", kind: "cat-dragon", temperament: "playful and warm")
    let pet = try Companion(model, pet: mochi, state: PetState(hunger: 80), memories: ["user's name is Ada"])
    let answer = try await pet.respond(to: "Hello!", try .greedy())
    print(answer.reply.text, answer.reply.emotion?.rawValue ?? "", answer.reply.actions.map(\.rawValue))
    #expect(!answer.reply.text.isEmpty && answer.reply.isWellFormed && answer.source == .model)
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
