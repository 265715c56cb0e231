// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import PetMemory
import Testing

@Suite("The store of memories")
struct MemoryStoreTests {
  private static let today = CivilDay(at: Fixture.now)

  private static func mode(_ path: String) -> mode_t {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
  }

  private static func texts(_ store: MemoryStore, former: Bool = false, at now: Int64 = Fixture.now) async throws
    -> [String]
  {
    try await store.facts(at: now, former: former).map(\.text)
  }

  @Test("what was learned is there after it was opened again, and only its owner may read it")
  func reopens() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("home/memory.sqlite")
    let store = try MemoryStore(path)
    #expect(store.opening == .created)
    try await store.learn(from: Fixture.turn("My name is Ada and I live in Rome"))
    #expect(Self.mode(folder.file("home")) == 0o700)
    for name in ["", "-wal", "-shm", ".key"] { #expect(Self.mode(path + name) == 0o600, "\(name)") }
    let before = try await store.facts(at: Fixture.now)
    try await store.close()
    chmod(path, 0o644)
    let again = try MemoryStore(path)
    #expect(again.opening == .opened)
    #expect(try await again.facts(at: Fixture.now) == before)
    #expect(before.map(\.text) == ["user's name is Ada", "lives in Rome"])
    #expect(Self.mode(path) == 0o600)
  }

  @Test("what is said twice is kept once; another value supersedes; what is taken back holds no longer")
  func changes() async throws {
    let folder = try TemporaryFolder()
    let store = try MemoryStore(folder.file("m"))
    #expect(try await store.learn(from: Fixture.turn("my name is Ana")) == [.added(1)])
    #expect(try await store.learn(from: Fixture.turn("my name is Ana!", 2)) == [.renewed(1)])
    #expect(try await store.learn(from: Fixture.turn("Actually, it's Ada", 3)) == [.superseded([1], by: 2)])
    #expect(try await Self.texts(store) == ["user's name is Ada"])
    #expect(try await Self.texts(store, former: true) == ["user's name is Ana", "user's name is Ada"])
    #expect(try await store.learn(from: Fixture.turn("I love olives", 4)) == [.added(3)])
    #expect(try await store.learn(from: Fixture.turn("I hate olives", 5)) == [.superseded([3], by: 4)])
    #expect(try await store.learn(from: Fixture.turn("I don't hate olives anymore", 6)) == [.retracted([4])])
    #expect(try await Self.texts(store) == ["user's name is Ada"])
  }

  @Test(
    "what is said anew comes in the place of what was said, where it is of the same matter",
    arguments: [
      (
        "I'm bringing potato salad to the party", "scrap that, I'm bringing a lemon tart",
        ["says they are bringing a lemon tart"]
      ),
      (
        "I'm bringing potato salad to the party", "Change of plan! I'm bringing bread", ["says they are bringing bread"]
      ),
      ("I love tea", "oh wait, I love coffee", ["likes coffee"]),
      ("I love tea", "I love coffee", ["likes tea", "likes coffee"]),
      ("I live in Rome", "scrap that, I love coffee", ["lives in Rome", "likes coffee"]),
      (
        "I'm bringing soup to the party", "scrap that, I'm learning the drums",
        ["says they are bringing soup to the party", "is learning the drums"]
      ),
    ])
  func saidAnew(_ first: String, _ second: String, _ left: [String]) async throws {
    let folder = try TemporaryFolder()
    let store = try MemoryStore(folder.file("m"))
    try await store.learn(from: Fixture.turn(first))
    try await store.learn(from: Fixture.turn(second, 2))
    #expect(try await Self.texts(store) == left)
  }

  @Test("a correction comes too late after other turns, or in another conversation")
  func lateCorrection() async throws {
    let folder = try TemporaryFolder()
    let store = try MemoryStore(folder.file("m"))
    try await store.learn(from: Fixture.turn("my name is Ana"))
    #expect(try await store.learn(from: Fixture.turn("Actually, it's Ada", 9)) == [])
    #expect(try await Self.texts(store) == ["user's name is Ana"])
  }

  @Test("one event that is moved leaves the others")
  func movedEvent() async throws {
    let store = try MemoryStore.inMemory()
    let lines = ["I have a dentist appointment on Monday", "my exam is on Friday", "actually it's on Saturday"]
    for (index, line) in lines.enumerated() { try await store.learn(from: Fixture.turn(line, index + 1)) }
    #expect(
      try await Self.texts(store) == ["has a dentist appointment on November 30", "user's exam is on November 28"])
  }

  @Test("a correction is of what was said last, also where that had been known before")
  func saidAgain() async throws {
    let store = try MemoryStore.inMemory()
    let lines = ["I live in Rome", "my dog is called Rex", "I live in Rome", "actually it's Milan"]
    for (index, line) in lines.enumerated() { try await store.learn(from: Fixture.turn(line, index + 1)) }
    #expect(try await Self.texts(store) == ["has a dog named Rex", "lives in Milan"])
  }

  @Test("a model's guess never takes the place of what was said, and is superseded by it")
  func proposals() async throws {
    let folder = try TemporaryFolder()
    let store = try MemoryStore(folder.file("m"))
    let guess = FactProposal.fromModel(.name, value: "Eve", text: "user's name is Eve", confidence: 1)
    #expect(try await store.remember([guess], from: Fixture.turn("")) == [.added(1)])
    #expect(try await store.learn(from: Fixture.turn("my name is Ada")) == [.superseded([1], by: 2)])
    #expect(try await store.remember([guess], from: Fixture.turn("")) == [])
    #expect(try await Self.texts(store) == ["user's name is Ada"])
  }

  @Test("an event ends when its day is over, and is gone some months later")
  func expiry() async throws {
    let folder = try TemporaryFolder()
    let store = try MemoryStore(folder.file("m"))
    try await store.learn(from: Fixture.turn("tomorrow I have an exam. My name is Ada"))
    let day: Int64 = 86_400
    #expect(try await Self.texts(store, at: Fixture.now + 3 * day).count == 2)
    #expect(try await Self.texts(store, at: Fixture.now + 4 * day) == ["user's name is Ada"])
    let late = Fixture.now + 100 * day
    #expect(
      try await store.recall(for: "what about my exam?", count: 9, today: CivilDay(at: late), at: late).map(\.text) == [
        "user's name is Ada"
      ])
    try await store.learn(from: Fixture.turn("I love fog", 2, at: late))
    #expect(try await Self.texts(store, former: true, at: late) == ["user's name is Ada", "likes fog"])
  }

  @Test("what was taken back stays so where the clock is set back, and is gone months later", arguments: [false, true])
  func takenBack(isSealed: Bool) async throws {
    let folder = try TemporaryFolder()
    let key = isSealed ? try MemoryKey(bytes: [UInt8](repeating: 7, count: 32)) : nil
    let store = try MemoryStore(folder.file("m"), key: key)
    let day: Int64 = 86_400
    try await store.learn(from: Fixture.turn("I live in Rome", at: Fixture.now - 200 * day))
    let change = try await store.learn(from: Fixture.turn("I don't live in Rome anymore", 2, at: Fixture.now + 7200))
    #expect(change == [.retracted([1])])
    try await store.close()
    let again = try MemoryStore(folder.file("m"), key: key)
    for now in [Fixture.now + 7200, Fixture.now, Fixture.now - 300 * day, .min] {
      #expect(try await Self.texts(again, at: now) == [])
      #expect(try await again.recall(for: "where do I live?", count: 9, today: Self.today, at: now) == [])
    }
    #expect(try await Self.texts(again, former: true) == ["lives in Rome"])
    try await again.learn(from: Fixture.turn("I love fog", 3, at: Fixture.now + 80 * day))
    #expect(try await Self.texts(again, former: true) == ["lives in Rome", "likes fog"])
    try await again.learn(from: Fixture.turn("I love rain", 4, at: Fixture.now + 100 * day))
    #expect(try await Self.texts(again, former: true) == ["likes fog", "likes rain"])
  }

  @Test("what is recalled is what is asked about; uses are counted and kept")
  func recall() async throws {
    let folder = try TemporaryFolder()
    let store = try MemoryStore(folder.file("m"))
    try await store.learn(
      from: Fixture.turn("my name is Ada. I live in Rome. I love fog. I hate rain. I collect stamps."))
    let later = Fixture.now + 60
    let found = try await store.recall(for: "where do I live?", count: 1, today: Self.today, at: later)
    #expect(found.map(\.text) == ["lives in Rome"])
    #expect(try await store.facts(at: later).allSatisfy { $0.uses == 0 })
    try await store.use(found.map(\.id) + [99], at: later)
    let used = try await store.facts(at: later).filter { $0.uses > 0 }
    #expect(used.map(\.text) == ["lives in Rome"] && used.first?.uses == 1 && used.first?.lastUsed == later)
    #expect(try await MemoryStore(folder.file("m")).facts(at: later).filter { $0.uses > 0 } == used)
    for count in [-1, 0] {
      #expect(try await store.recall(for: "where do I live?", count: count, today: Self.today, at: later) == [])
    }
    #expect(try await store.recall(for: "hello", count: 9, unasked: 2, today: Self.today, at: later).count == 2)
    #expect(try await store.recall(for: "hello", count: 9, unasked: 0, today: Self.today, at: later) == [])
  }

  @Test("what was said in passing answers questions, with their mark or without; statements bring back what is sure")
  func inPassing() async throws {
    let store = try MemoryStore.inMemory()
    try await store.learn(from: Fixture.turn("We painted the green umbrellas. My dog is called Rex."))
    func told(_ line: String) async throws -> [String] {
      try await store.recall(for: line, count: 4, unasked: 0, today: Self.today, at: Fixture.now).map(\.text)
    }
    let painted = try #require(try await store.facts(at: Fixture.now).first { $0.text.contains("umbrellas") })
    #expect(painted.confidence <= 0.5)
    for line in [
      "Where are the green umbrellas?", "hey what about the green umbrellas", "you know the green umbrellas",
    ] {
      #expect(try await told(line) == [painted.text], "\(line)")
    }
    #expect(try await told("My aunt sold the green umbrellas.") == [])
    #expect(try await told("Rex is wet.") == ["has a dog named Rex"])
  }

  @Test("beyond the limit the least facts go, and the caller is told")
  func limit() async throws {
    let folder = try TemporaryFolder()
    let store = try MemoryStore(folder.file("m"), limit: 3)
    try await store.learn(from: Fixture.turn("my name is Ada. I live in Rome. I love fog."))
    #expect(try await store.learn(from: Fixture.turn("I am 34 years old", 2)) == [.added(4), .dropped([3])])
    #expect(try await Self.texts(store) == ["user's name is Ada", "lives in Rome", "user is 34"])
  }

  @Test("what is edited or forgotten is in no file any more, nor what came before it")
  func erasing() async throws {
    let folder = try TemporaryFolder()
    let store = try MemoryStore(folder.file("m"))
    try await store.learn(from: Fixture.turn("I live in Zanzibar. I love quinces."))
    try await store.learn(from: Fixture.turn("I live in Samarkand", 2))
    let place = try #require(try await store.facts(at: Fixture.now).first { $0.kind == .place })
    try await store.forget(place.id)
    let fruit = try #require(try await store.facts(at: Fixture.now).first)
    try await store.edit(fruit.id, to: "medlars", today: Self.today, at: Fixture.now)
    #expect(try await Self.texts(store) == ["likes medlars"])
    #expect(try folder.files(with: ["Zanzibar", "quinces", "Samarkand"]) == [])
    await #expect(throws: MemoryError.noSuchFact(99)) { try await store.forget(99) }
    await #expect(throws: MemoryError.noSuchFact(99)) {
      try await store.edit(99, to: "x", today: Self.today, at: Fixture.now)
    }
    await #expect(throws: MemoryError.emptyValue) {
      try await store.edit(fruit.id, to: " \n", today: Self.today, at: Fixture.now)
    }
  }

  @Test("forgetting everything leaves no word in any file, also not in those set aside")
  func forgetEverything() async throws {
    let folder = try TemporaryFolder()
    let words = (0..<500).map { "secretword\($0)x" }
    try Data("not a database, but zanzibar".utf8).write(to: URL(filePath: folder.file("m")))
    let store = try MemoryStore(folder.file("m"))
    for (number, word) in words.enumerated() {
      try await store.learn(from: Fixture.turn("I love \(word)", number + 1))
      guard number % 50 == 0 else { continue }
      let first = try await store.facts(at: Fixture.now)[0].id
      try await store.edit(first, to: "changed\(word)", today: Self.today, at: Fixture.now)
    }
    #expect(try folder.files(with: ["zanzibar"]) == ["m.damaged-1"])
    try await store.forgetEverything()
    #expect(try folder.files(with: ["secretword", "zanzibar"]) == [])
    #expect(try await Self.texts(store, former: true) == [])
    #expect(try folder.bytes().values.reduce(0) { $0 + $1.count } < 64 * 1024)
    try await store.learn(from: Fixture.turn("my name is Ada"))
    #expect(try await Self.texts(store) == ["user's name is Ada"])
  }

  @Test("two programs with the same file see each other's facts")
  func shared() async throws {
    let folder = try TemporaryFolder()
    let (one, two) = (try MemoryStore(folder.file("m")), try MemoryStore(folder.file("m")))
    try await one.learn(from: Fixture.turn("my name is Ada"))
    #expect(try await Self.texts(two) == ["user's name is Ada"])
    try await two.learn(from: Fixture.turn("my name is Eve", 2))
    #expect(try await Self.texts(one) == ["user's name is Eve"])
    async let first: Void = Self.learnMany(one, "apples")
    async let second: Void = Self.learnMany(two, "pears")
    _ = try await (first, second)
    #expect(try await Self.texts(one).count == 41)
    #expect(try await Self.texts(one) == Self.texts(two))
  }

  private static func learnMany(_ store: MemoryStore, _ fruit: String) async throws {
    for number in 0..<20 { try await store.learn(from: Fixture.turn("I love \(fruit)\(number)x", number + 3)) }
  }
}
