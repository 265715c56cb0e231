import PetEngine

let model = try LanguageModel.builtIn(.init(Configuration(.watch)))
let session = try LanguageModelSession(model, instructions: "You are a kind cat.")
for try await event in session.streamResponse(to: "Hello!", try .greedy(maximumTokens: 64)) {
  switch event {
  case .text(let text): print(text, terminator: "")
  case .finished(let result): print("\n(\(result.usage.completionTokens) tokens)")
  }
}
