// SPDX-License-Identifier: Apache-2.0
import PetRuntime
import SeededGenerator
import Testing

/// Everything at once, in an order that nobody chose.
@Suite("Lazy model under stress", .timeLimit(.minutes(2)))
struct LazyModelStressTests {
  @Test(
    "uses, cancelled uses, unloads, preloads, steps and installs at once: what is used is there, at the end nothing is",
    arguments: 0..<8)
  func everything(_ seed: UInt64) async throws {
    let counter = CountedModel.Counter()
    let loader = { @Sendable (label: String) in
      ModelLoader(version: label, bytes: 1) { progress in
        progress(0.5)
        await Task.yield()
        if label == "bad" { throw LoadFailure() }
        return CountedModel(counter, label)
      }
    }
    let model = LazyModel(name: "m", loader: loader("1"), smaller: [loader("small")])
    let used = Recorder<String>()
    await withDiscardingTaskGroup { group in
      for worker in 0..<32 {
        group.addTask {
          var random = SeededGenerator(seed: seed << 8 + UInt64(worker))
          for _ in 0..<60 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0: await model.unload()
            case 1: await model.preload()
            case 2: await model.unloadIfIdle()
            case 3: _ = Bool.random(using: &random) ? await model.degrade() : await model.restore()
            case 4: try? await model.install(loader(["2", "bad"].randomElement(using: &random) ?? ""))
            case 5:
              let task = Task { try await model.use { _ in await Task.yield() } }
              await Task.yield()
              task.cancel()
              _ = await task.result
            default:
              try? await model.use { loaded in
                await Task.yield()
                #expect(counter.alive >= 1)
                used.add(loaded.label)
              }
            }
          }
        }
      }
    }
    #expect(used.all.count >= 32 * 60 / 4 && !used.all.contains("bad"))
    #expect(await model.users == 0)
    #expect(await model.waitingCount == 0)
    await model.unload()
    #expect(await model.state == .notLoaded)
    #expect(counter.alive == 0)
  }
}
