import PetEngine

let model = try LanguageModel.builtIn(.init(Configuration(.watch)))
let cat = try Companion(model, instructions: "You are a kind cat.")
let answer = try await cat.respond(to: "Hello!", options: .greedy(maximumTokens: 64)) { print($0, terminator: "") }
print("\n(\(answer.reply.emotion?.rawValue ?? "calm"), \(answer.generation.usage.completionTokens) tokens)")
