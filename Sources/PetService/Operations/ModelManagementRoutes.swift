// SPDX-License-Identifier: Apache-2.0
import NIOHTTP1
import PetAPI
import PetEngine

/// `/pet/models` and `/pet/lifecycle`: what is in memory, and what goes or comes.
struct ModelManagementRoutes: Sendable {
  typealias Install = @Sendable (_ name: String) async throws -> Void

  let models: ServedModels
  let household: Household
  /// Puts the model of this name in the place of what serves.
  let install: Install

  private struct ModelForm: Encodable {
    let name: String
    let state: String
    /// From 0 to 1, while it loads.
    let progress: Double?
    let version: String
    let bytes: UInt64
    let users: Int
    /// That it is not the best of its variants, and why.
    let degraded: DegradedForm?
  }

  private struct InstalledForm: Encodable {
    let name: String
    let bytes: UInt64
  }

  private struct Overview: Encodable {
    let data: [ModelForm]
    /// Language models that could serve in the place of the one that does.
    let installed: [InstalledForm]
    let budgetBytes: UInt64
    let reservedBytes: UInt64

    enum CodingKeys: String, CodingKey {
      case data, installed
      case budgetBytes = "budget_bytes"
      case reservedBytes = "reserved_bytes"
    }
  }

  private struct Swap: Decodable { let model: String }

  private enum LifecycleEvent: String, Decodable, CaseIterable {
    case active, background
    case memoryWarning = "memory-warning"
  }

  private struct NewEvent: Decodable { let event: String }

  func add(to router: inout Router) {
    router.on(.GET, "/pet/models") { _, _ in JSON.response(await overview()) }
    router.on(.POST, "/pet/models/load") { request, _ in
      guard request.takesEvents else {
        try await models.language.load()
        return JSON.response(await overview())
      }
      return progress()
    }
    router.on(.GET, "/pet/models/serving") { _, _ in
      JSON.response(try await models.language.use { ServingModel($0, as: models.identity(of: $0)) })
    }
    router.on(.POST, "/pet/models/unload") { _, _ in
      await models.runtime.unloadAll()
      return JSON.response(await overview())
    }
    router.on(.POST, "/pet/models/swap") { request, _ in
      let wanted = try JSON.decode(Swap.self, request.body).model
      // Names only: which files of this machine are opened is not for who comes over TCP to say.
      guard installed.contains(where: { $0.name == wanted }) else {
        throw ServiceError(.notFound, "no model of that name is installed", parameter: "model", code: "model_not_found")
      }
      try await install(wanted)
      return JSON.response(await overview())
    }
    router.on(.POST, "/pet/lifecycle") { request, _ in
      guard let event = LifecycleEvent(rawValue: try JSON.decode(NewEvent.self, request.body).event) else {
        throw ServiceError.invalid(
          "event", "event must be one of \(LifecycleEvent.allCases.map(\.rawValue).joined(separator: ", "))")
      }
      switch event {
      case .active: await models.runtime.becomeActive()
      case .background:
        await household.giveBackUnused()
        await models.runtime.enterBackground()
      case .memoryWarning:
        await household.giveBackUnused()
        await models.runtime.memoryWarning()
      }
      return JSON.response(await overview())
    }
  }

  private var installed: [InstalledForm] {
    models.store.catalog.models
      .filter { $0.kind == .language && models.store.state(of: $0) == .present }
      .map { InstalledForm(name: $0.name, bytes: $0.file.bytes) }
  }

  private func overview() async -> Overview {
    Overview(
      data: await models.runtime.facts().map { facts in
        var progress: Double?
        if case .loading(let part) = facts.state { progress = part }
        return ModelForm(
          name: facts.name == models.language.name ? models.name : facts.name, state: facts.state.name,
          progress: progress, version: facts.version, bytes: facts.bytes,
          users: facts.users, degraded: DegradedForm(facts))
      },
      installed: installed, budgetBytes: models.runtime.budget, reservedBytes: models.runtime.reservedBytes)
  }

  /// How a load goes on, to its end.
  private func progress() -> ServiceResponse {
    .events { [models] writer in
      struct Event: Encodable {
        let state: String
        let progress: Double?
      }
      // Watched from before it begins: a quick load has its progress, too.
      let states = models.language.states
      await models.language.preload()
      var isNews = false
      for await state in states {
        defer { isNews = true }
        var progress: Double?
        switch state {
        // How an earlier load ended.
        case .notLoaded where !isNews, .failed where !isNews: continue
        case .loading(let part): progress = part
        case .notLoaded, .loaded, .failed, .unloading: break
        }
        try await writer.write("event: model\ndata: \(JSON.text(Event(state: state.name, progress: progress)))\n\n")
        switch state {
        case .loaded, .failed: return
        case .notLoaded:
          // Called off: nothing loads it any more.
          if await models.language.state == .notLoaded { return }
        case .loading, .unloading: continue
        }
      }
    }
  }
}
