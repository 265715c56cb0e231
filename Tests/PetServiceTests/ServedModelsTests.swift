// SPDX-License-Identifier: Apache-2.0
import PetEngine
import PetService
import Synchronization
import Testing

@Suite("The models that a daemon answers with", .timeLimit(.minutes(1)))
struct ServedModelsTests {
  @Test("a swap goes on without its client where another waits for the model, and the name follows what serves")
  func abandonedSwap() async throws {
    let configuration = try Configuration(
      .init(flags: [.init(.model, "pet-nano", name: "model"), .init(.context, "256", name: "context")]))
    let loader = try ModelLoader.language(.builtIn(name: "nano-v6.gguf"), .init(configuration))
    // What happens when a load asks for memory; there is none for two.
    let onLoad: Mutex<@Sendable () -> Void> = Mutex({})
    let runtime = ModelRuntime(
      budget: loader.bytes * 3 / 2,
      room: {
        let act = onLoad.withLock { $0 }
        act()
        return nil
      })
    let language = try await runtime.add("language", loader: loader)
    let store = ModelStore(folder: "/nowhere", catalog: try .builtIn())
    let classifiers = try await runtime.addClassifiers(Configuration(.watch), in: store)
    let models = ServedModels(language, named: "first", classifiers, in: runtime, store: store, started: 0)

    let (gate, open) = AsyncStream.makeStream(of: Void.self)
    let user = Task { try await language.use { _ in for await _ in gate {} } }
    while await language.users == 0 { try await Task.sleep(for: .milliseconds(1)) }
    let swap = Task { try await models.install(configuration) }
    while await language.state != .unloading { try await Task.sleep(for: .milliseconds(1)) }
    let other = Task { try await language.use { _ in } }
    while await language.waitingCount < 2 { try await Task.sleep(for: .milliseconds(1)) }
    #expect(models.name == "first")
    onLoad.withLock { $0 = { swap.cancel() } }
    open.finish()
    try await user.value
    try await other.value
    _ = await swap.result
    #expect(models.name == "pet-nano")
  }
}
