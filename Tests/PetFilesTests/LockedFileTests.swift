// SPDX-License-Identifier: Apache-2.0
import Glibc
import PetFiles
import Testing

@Suite("Locked files")
struct LockedFileTests {
  private let folder: ScratchFolder
  init() throws { folder = try ScratchFolder() }

  private func open(_ name: String, creates: Bool = false) throws(FileError) -> LockedFile {
    try LockedFile(folder.at(name), creates: creates, patience: .zero)
  }

  @Test("one open file has the lock at a time, and lets go of it at the end of its life")
  func exclusive() throws {
    do {
      let file = try open("x", creates: true)
      #expect(throws: FileError(path: folder.at("x"), operation: "lock", code: EWOULDBLOCK)) { _ = try open("x") }
      try file.append(Array("ab".utf8))
      try file.append(Array("cd".utf8))
      #expect(try file.size == 4 && file.prefix(3) == Array("abc".utf8) && file.prefix(9).count == 4)
      try file.truncate(to: 1)
    }
    #expect(try folder.text("x") == "a" && open("x").size == 1)
    #expect(folder.mode("x") == 0o600)
  }

  @Test("a file that others may read is taken from them; a link, a second name and what is no file are refused")
  func others() throws {
    try folder.write("x", "", mode: 0o644)
    _ = try open("x").size
    #expect(folder.mode("x") == 0o600)
    try #require(symlink("x", folder.at("link")) == 0 && link(folder.at("x"), folder.at("name")) == 0)
    try #require(mkfifo(folder.at("pipe"), 0o600) == 0)
    for (name, code) in [("link", ELOOP), ("name", EINVAL), ("pipe", EINVAL), ("none", ENOENT)] {
      #expect(throws: FileError(path: folder.at(name), operation: "open", code: code), "\(name)") {
        _ = try open(name)
      }
    }
  }

  @Test("pieces of any size are handed out until all is done with")
  func pieces() throws {
    let bytes = (0..<700_001).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let file = try open("x", creates: true)
    try file.append(bytes)
    var got: [UInt8] = []
    var ends = 0
    try file.forEachPiece(from: 3) { piece, isEnd in
      // What is not whole comes again.
      let count = isEnd ? piece.count : piece.count / 1000 * 1000
      got += piece.prefix(count)
      if isEnd { ends += 1 }
      return count
    }
    #expect(got == Array(bytes.dropFirst(3)) && ends == 1)
  }

  @Test("what is erased is zeros first: another name of the file shows it")
  func erase() throws {
    let held = try OpenFile(folder.write("x", "secret"), flags: O_RDONLY)
    try LockedFile.erase(folder.at("x"))
    try LockedFile.erase(folder.at("x"))
    #expect(try folder.names == [] && held.size == 0)
    let second = try OpenFile(folder.write("y", "secret"), flags: O_RDONLY)
    try OpenFile.erase(folder.at("y"))
    try OpenFile.erase(folder.at("y"))
    var bytes = [UInt8](repeating: 1, count: 9)
    #expect(
      try bytes.withUnsafeMutableBytes { try second.read(into: $0) } == 6 && bytes.prefix(6).allSatisfy { $0 == 0 })
    try folder.write("z", "kept")
    try #require(symlink("z", folder.at("link")) == 0)
    try OpenFile.erase(folder.at("link"))
    #expect(try folder.text("z") == "kept" && folder.names == ["z"])
  }

  @Test("whoever waits for a lock is told of it once, and gets it when the other is done", .timeLimit(.minutes(1)))
  func waiting() async throws {
    let path = folder.at("lock")
    let file = try OpenFile(path, flags: O_RDWR | O_CREAT, mode: 0o600)
    try #require(try file.tryLock() && !OpenFile(path, flags: O_RDWR).tryLock())
    let (told, tell) = AsyncStream.makeStream(of: Void.self)
    let other = Task.detached {
      try FileLock.holding(path, waiting: { tell.yield() }) { try FileLock.holding("\(path)2", waiting: {}) { 7 } }
    }
    var iterator = told.makeAsyncIterator()
    await iterator.next()
    file.unlock()
    #expect(try await other.value == 7)
  }
}
