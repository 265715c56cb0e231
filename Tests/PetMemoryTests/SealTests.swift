// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import PetMemory
import Testing

@Suite("Sealed memories")
struct SealTests {
  private static let words = ["Zanzibar", "zanzibar", "\"place\"", "lives in", "homely"]

  @Test("no word is in any file, and the right key alone opens it", arguments: [false, true])
  func sealed(withPassphrase: Bool) async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("m")
    let right = try withPassphrase ? MemoryKey(passphrase: "correct horse") : MemoryKey(file: folder.file("key"))
    let wrong =
      try withPassphrase ? MemoryKey(passphrase: "wrong horse") : MemoryKey(bytes: Array(repeating: 7, count: 32))
    let store = try MemoryStore(path, key: right)
    try await store.learn(from: Fixture.turn("I live in Zanzibar. My name is Homely."))
    try await store.use([1, 2], at: Fixture.now)
    let facts = try await store.facts(at: Fixture.now)
    #expect(try folder.files(with: Self.words) == [])
    try await store.close()
    #expect(try folder.files(with: Self.words) == [])
    #expect(throws: MemoryError.wrongKey(path: path)) { try MemoryStore(path, key: wrong) }
    #expect(throws: MemoryError.keyNeeded(path: path)) { try MemoryStore(path) }
    let again = try MemoryStore(path, key: right)
    #expect(again.opening == .opened)
    #expect(try await again.facts(at: Fixture.now) == facts)
  }

  @Test("without a key no word is in any file either; a key then opens nothing")
  func ownKey() async throws {
    let folder = try TemporaryFolder()
    let store = try MemoryStore(folder.file("m"))
    try await store.learn(from: Fixture.turn("I live in Zanzibar"))
    #expect(try folder.files(with: Self.words) == [])
    try await store.close()
    let key = try MemoryKey(passphrase: "x")
    #expect(throws: MemoryError.notSealed(path: folder.file("m"))) { try MemoryStore(folder.file("m"), key: key) }
  }

  @Test("a key file is made for its owner alone; unfit ones are refused")
  func keyFiles() throws {
    let folder = try TemporaryFolder()
    _ = try MemoryKey(file: folder.file("key"))
    var status = stat()
    #expect(stat(folder.file("key"), &status) == 0 && status.st_mode & 0o777 == 0o600 && status.st_size == 32)
    chmod(folder.file("key"), 0o640)
    #expect(throws: MemoryError.self) { try MemoryKey(file: folder.file("key")) }
    for count in [0, 31, 5000] {
      try Data(repeating: 1, count: count).write(to: URL(filePath: folder.file("k\(count)")))
      chmod(folder.file("k\(count)"), 0o600)
      #expect(throws: MemoryError.self) { try MemoryKey(file: folder.file("k\(count)")) }
    }
    #expect(throws: MemoryError.self) { try MemoryKey(passphrase: "") }
    #expect(throws: MemoryError.self) { try MemoryKey(file: folder.path) }
  }
}
