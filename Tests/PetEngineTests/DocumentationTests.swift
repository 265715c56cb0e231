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

  /// The README's form of it. Compiled; running it would need a file in the current folder.
  private func shortForm() async throws {
    let model = try LanguageModel(path: "model.gguf", .init(threadCount: 2))
    let session = try LanguageModelSession(model, instructions: "You are a kind cat.")
    for try await event in session.streamResponse(to: "Hello!", try .greedy()) {
      if case .text(let text) = event { print(text, terminator: "") }
    }
  }
}
