// SPDX-License-Identifier: Apache-2.0
import Foundation
import PetEngine

/// All classifiers and the language models that are here, loaded in one runtime within its budget, and each asked once.
enum Together {
  static func json(_ inputs: Inputs) async throws -> String {
    let configuration = try Configuration(.init(flags: [.init(.classifierQuality, "high", name: "tier")]))
    let runtime = ModelRuntime(configuration)
    let store = try currentStore()
    let before = resident()
    let classifiers = try await runtime.addClassifiers(configuration, in: store)
    _ = try await classifiers.pose(inputs.photo)
    _ = try await classifiers.expression(inputs.photo)
    _ = try await classifiers.affect(inputs.sound)
    _ = try await classifiers.stress(inputs.signals)
    let four = resident()
    let names = ["pet-nano", "pet-135m"].filter { name in
      store.catalog.model(named: name).map { store.state(of: $0) == .present } ?? false
    }
    for name in names {
      let settings = try Configuration(.init(flags: [.init(.model, name, name: "model")]))
      let model = try await runtime.addLanguageModel(settings, in: store).model
      _ = try await model.use { model in
        try await LanguageModelSession(model: model, instructions: "You are a kind cat.").respond(
          to: "Hello!", options: .greedy(maximumTokens: 32))
      }
    }
    let all = resident()
    let loaded = await runtime.loadedModels().count
    let reserved = Double(runtime.reservedBytes) / 1e6
    await runtime.unloadAll()
    return text([
      "before_mb": before, "four_mb": four, "all_mb": all, "loaded": Double(loaded), "reserved_mb": reserved,
      "budget_mb": Double(runtime.budget) / 1e6, "after_mb": resident(), "languages": Double(names.count),
    ])
  }
}
