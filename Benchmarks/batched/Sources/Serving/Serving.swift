// SPDX-License-Identifier: Apache-2.0
import Foundation
import PetLanguage

/// What many conversations on one model feel of each other, as one JSON object:
///
///     Serving long-prompt MODEL.gguf THREADS CHATS PROMPT_TOKENS
///     Serving shared-persona MODEL.gguf THREADS SESSIONS
///     Serving resume MODEL.gguf THREADS TOKENS
///     Serving guided MODEL.gguf THREADS ROUNDS
@main
enum Serving {
  static func main() async {
    do {
      try await run(Array(CommandLine.arguments.dropFirst()))
    } catch {
      FileHandle.standardError.write(Data("Serving: \(error)\n".utf8))
      exit(1)
    }
  }

  private static func run(_ arguments: [String]) async throws {
    let numbers = arguments.dropFirst(2).compactMap { Int($0) }
    switch (arguments.first, arguments.count, numbers.count) {
    case ("long-prompt", 5, 3):
      let model = try load(arguments[1], threads: numbers[0], replies: numbers[1] + 1)
      try print(await LongPrompt(model, chats: numbers[1], promptTokens: numbers[2]).measure())
    case ("shared-persona", 4, 2):
      let model = try load(arguments[1], threads: numbers[0], replies: 16)
      try print(await SharedPersona(model, sessions: numbers[1]).measure())
    case ("resume", 4, 2):
      try print(await Resume(model: load(arguments[1], threads: numbers[0], replies: 16), tokens: numbers[1]).measure())
    case ("guided", 4, 2):
      try print(await Guided(model: load(arguments[1], threads: numbers[0], replies: 16), rounds: numbers[1]).measure())
    default:
      throw UsageError()
    }
  }

  private static func load(_ path: String, threads: Int, replies: Int) throws -> LanguageModel {
    var options = LanguageModel.LoadOptions(threadCount: max(1, min(threads, 256)))
    options.cacheBytes = .max
    options.concurrentReplies = max(1, min(replies, 64))
    return try LanguageModel(path: path, options)
  }

  private static func print(_ report: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    Swift.print(String(decoding: try encoder.encode(report), as: UTF8.self))
  }
}

struct UsageError: Error, CustomStringConvertible {
  var description: String {
    "usage: Serving long-prompt MODEL THREADS CHATS PROMPT_TOKENS | shared-persona MODEL THREADS SESSIONS "
      + "| resume MODEL THREADS TOKENS | guided MODEL THREADS ROUNDS"
  }
}
