// SPDX-License-Identifier: Apache-2.0
import CInstrumentation
import Foundation
import PetEngine
import PetRuntime
import Synchronization
import Testing

/// The four classifiers as a program has them: in one runtime, loaded when they are first used.
@Suite("Classifiers", .timeLimit(.minutes(15)))
struct ClassifiersTests {
  private static let examples = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Examples/classify")

  private static func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: examples.appending(path: name)))
  }

  private let store: ModelStore
  init() throws { store = try .repository() }

  private func quality(_ quality: String) throws -> Configuration {
    try Configuration(.init(flags: [.init(.classifierQuality, quality, name: "--quality")]))
  }

  private func versions(_ classifiers: Classifiers) async -> [String] {
    [
      await classifiers.pose.version, await classifiers.affect.version, await classifiers.expression.version,
      await classifiers.stress.version,
    ]
  }

  @Test("nothing is loaded before it is asked; then each says what it sees, and every inference is told of")
  func answers() async throws {
    let told = Mutex<[Inference]>([])
    let runtime = ModelRuntime()
    let classifiers = try await runtime.addClassifiers(try quality("high"), in: store) { inference in
      told.withLock { $0.append(inference) }
    }
    #expect(await runtime.loadedModels().isEmpty && runtime.reservedBytes == 0)
    let picture = try Picture(Self.bytes("photo.jpg"))
    let pose = try await classifiers.pose(picture)
    #expect(pose.people == 1 && pose.pose?.landmarks.count == 33)
    #expect(await runtime.loadedModels().map(\.name) == ["pose"])
    #expect(try await classifiers.expression(picture).expression?.label == .happy)
    let sound = try Waveform(wav: Self.bytes("talk.wav"))
    guard case .affect(let affect) = try await classifiers.affect(sound) else {
      Issue.record("no speech in it")
      return
    }
    #expect((80...110).contains(affect.prosody.pitch))
    let stress = try await classifiers.stress(try StressSignals(Self.bytes("moods.csv")))
    #expect(stress.level == .high && stress.factors.count == 3)
    let inferences = told.withLock { $0 }
    #expect(inferences.map(\.model) == ["pose", "facial-expression", "vocal-affect", "parent-stress"])
    #expect(
      inferences.map(\.version)
        == ["PoseDetection_High", "FacialExpression_High", "VocalAffect_High", "ParentStress_High"])
    #expect(inferences.allSatisfy { $0.succeeded && $0.latency > .zero })
  }

  @Test("1000 first uses at once load each of the four once")
  func concurrentLoads() async throws {
    let runtime = ModelRuntime()
    let classifiers = try await runtime.addClassifiers(try quality("low"), in: store)
    let loads = Counts()
    func watch<Model>(_ model: LazyModel<Model>) -> Task<Void, Never> {
      let states = model.states
      return Task { for await state in states where state == .loaded { loads.add(model.name) } }
    }
    let watching = [
      watch(classifiers.pose), watch(classifiers.affect), watch(classifiers.expression), watch(classifiers.stress),
    ]
    try await withThrowingDiscardingTaskGroup { group in
      for index in 0..<1000 {
        group.addTask {
          switch index % 4 {
          case 0: try await classifiers.pose.load()
          case 1: try await classifiers.affect.load()
          case 2: try await classifiers.expression.load()
          default: try await classifiers.stress.load()
          }
        }
      }
    }
    let facts = await runtime.facts()
    #expect(facts.allSatisfy { $0.state == .loaded && $0.users == 0 })
    // What was reserved is the sum of four, once.
    #expect(runtime.reservedBytes == facts.reduce(0) { $0 + $1.bytes })
    while loads.all.count < 4 { try await Task.sleep(for: .milliseconds(1)) }
    #expect(loads.all.values.allSatisfy { $0 == 1 })
    await runtime.unloadAll()
    #expect(runtime.reservedBytes == 0)
    for task in watching { task.cancel() }
  }

  private final class Counts: Sendable {
    private let counts = Mutex<[String: Int]>([:])
    var all: [String: Int] { counts.withLock { $0 } }
    func add(_ name: String) { counts.withLock { $0[name, default: 0] += 1 } }
  }

  @Test("the tier is what is asked for or suits the device; steps go down to the lowest and up again")
  func tiers() async throws {
    let high = try await ModelRuntime().addClassifiers(try quality("high"), in: store)
    #expect(
      await versions(high) == ["PoseDetection_High", "VocalAffect_High", "FacialExpression_High", "ParentStress_High"])
    let low = try await ModelRuntime().addClassifiers(Configuration(.watch), in: store)
    // One model of stress for all.
    #expect(
      await versions(low) == ["PoseDetection_Low", "VocalAffect_Low", "FacialExpression_Low", "ParentStress_High"])
    var device = DeviceCapability.read()
    device.appleIdentifier = "iPhone13,2"
    (device.power, device.thermal) = (.unavailable, .unavailable)
    let medium = try await ModelRuntime().addClassifiers(Configuration(), in: store, device: device)
    #expect(await medium.expression.version == "FacialExpression_Medium")

    let picture = try Picture(Self.bytes("photo.jpg"))
    #expect(try await high.expression(picture).expression?.probabilities.count == 7)
    #expect(await high.expression.degrade())
    #expect(try await high.expression(picture).expression?.probabilities.count == 5)
    #expect(await high.expression.degrade())
    #expect(try await high.expression(picture).expression?.probabilities.count == 3)
    #expect(await !high.expression.degrade())
    #expect(await high.expression.restore())
    #expect(try await high.expression(picture).expression?.probabilities.count == 5)
  }

  @Test("they share one budget: who was used longest ago goes, and what cannot fit is refused")
  func budget() async throws {
    func minimum(_ name: String) throws -> UInt64 {
      try #require(try Catalog.builtIn().model(named: name)).requirements.minimumMemory
    }
    let budget = try minimum("pose") + minimum("facial-expression") + minimum("parent-stress")
    let runtime = ModelRuntime(budget: budget)
    let classifiers = try await runtime.addClassifiers(try quality("high"), in: store)
    try await classifiers.pose.load()
    try await classifiers.expression.load()
    try await classifiers.affect.load()
    #expect(await !classifiers.pose.isLoaded)
    #expect(await classifiers.affect.isLoaded)
    #expect(runtime.reservedBytes <= budget)
    let small = try await ModelRuntime(budget: 1 << 20).addClassifiers(try quality("high"), in: store)
    await #expect(throws: ModelError.self) { try await small.pose.load() }
  }

  @Test("who is idle goes by itself, and comes again")
  func idle() async throws {
    let settings = try Configuration(.init(flags: [.init(.idleTimeToLive, "1", name: "--set")]))
    let classifiers = try await ModelRuntime().addClassifiers(settings, in: store)
    _ = try await classifiers.stress(try StressSignals(["tired": 2]))
    #expect(await classifiers.stress.isLoaded)
    let deadline = ContinuousClock.now + .seconds(60)
    while await classifiers.stress.isLoaded, ContinuousClock.now < deadline {
      try await Task.sleep(for: .milliseconds(50))
    }
    #expect(await !classifiers.stress.isLoaded)
    #expect(try await classifiers.stress(try StressSignals(["tired": 2])).used == ["tired"])
  }

  @Test("what is wrong with an input is said as for any model, and told of as a failure")
  func refusals() async throws {
    let told = Mutex<[Bool]>([])
    let classifiers = try await ModelRuntime().addClassifiers(Configuration(.watch), in: store) { inference in
      told.withLock { $0.append(inference.succeeded) }
    }
    do {
      _ = try await classifiers.stress(try StressSignals(["tired": 9]))
      Issue.record("a signal out of range was taken")
    } catch ModelError.invalidInput(let model, let reason) {
      #expect(model == "parent-stress" && reason.contains("tired"))
    }
    #expect(told.withLock { $0 } == [false])
    let picture = try Picture(Self.bytes("photo.jpg"))
    await #expect(throws: ModelError.self) { try await classifiers.pose(following: picture, at: .nan) }
  }

  /// In a process of its own: other tests load models too. What the first loads leave for good are pages of the program and what the
  /// allocator keeps.
  @Test(
    "after loading, asking and unloading again and again memory is back within 10 % of what it was",
    .disabled(if: is_sanitized(), "sanitizers keep what is freed"))
  func memoryReturns() async throws {
    await #expect(processExitsWith: .success) {
      // As petd has it: what is freed at the end of a thread's part of the heap stays otherwise, as malloc_trim(3) does not look there.
      HeapMemory.staySmall()
      let store = try ModelStore.repository()
      let classifiers = try await ModelRuntime().addClassifiers(Configuration(.watch), in: store)
      let grey = try Picture(width: 64, height: 64, rgb: [UInt8](repeating: 128, count: 64 * 64 * 3))
      // Pages of files come and go as the system likes. The least of several cycles is what is kept.
      var (before, after, loaded) = (UInt64.max, UInt64.max, UInt64.max)
      for cycle in 0..<45 {
        guard try await classifiers.pose(grey).pose == nil, try await classifiers.expression(grey).faces == 0 else {
          exit(3)
        }
        _ = try await classifiers.stress(try StressSignals(["tired": 2]))
        try await classifiers.affect.load()
        loaded = min(loaded, ResidentMemory.read().current)
        await classifiers.runtime.unloadAll()
        let resident = ResidentMemory.read().current
        if (10..<25).contains(cycle) { before = min(before, resident) }
        if cycle >= 30 { after = min(after, resident) }
      }
      // Models that take no memory would show nothing.
      guard loaded > before + (8 << 20) else { exit(4) }
      exit(after <= before + before / 10 ? EXIT_SUCCESS : EXIT_FAILURE)
    }
  }

  @Test("without its separate weights the classifier of stress alone fails, and says what brings them")
  func separateWeights() async throws {
    let store = ModelStore(folder: "/nonexistent", catalog: try Catalog.builtIn())
    let classifiers = try await ModelRuntime().addClassifiers(Configuration(.watch), in: store)
    do {
      _ = try await classifiers.stress(try StressSignals(["tired": 2]))
      Issue.record("weights came from somewhere")
    } catch ModelError.modelLoadFailed(let model, let error) {
      #expect(model == "parent-stress")
      #expect("\(error)".contains("pet models install Models/parent-stress/parent-stress.gguf --name parent-stress"))
    }
    #expect(try await classifiers.pose(Picture(Self.bytes("photo.jpg"))).people == 1)
  }

  @Test("those that nobody waits for run in the profile phone with power, and never in watch")
  func unasked() async throws {
    let phone = try await ModelRuntime().addClassifiers(Configuration(.phone), in: store)
    let watch = try await ModelRuntime().addClassifiers(Configuration(.watch), in: store)
    #expect(phone.mayRunUnasked(.unavailable) && !watch.mayRunUnasked(.unavailable))
    let wanted = try Configuration(
      .init(flags: [.init(.profile, "watch", name: "--profile"), .init(.optionalClassifiers, "true", name: "--set")]))
    #expect(try await ModelRuntime().addClassifiers(wanted, in: store).mayRunUnasked(.unavailable))
  }

  @Test("a film is followed from picture to picture")
  func film() async throws {
    let classifiers = try await ModelRuntime().addClassifiers(Configuration(.watch), in: store)
    let picture = try Picture(Self.bytes("photo.jpg"))
    #expect(try await !classifiers.pose(following: picture, at: 0).isTracked)
    #expect(try await classifiers.pose(following: picture, at: 0.1).isTracked)
  }
}
