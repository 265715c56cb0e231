// SPDX-License-Identifier: Apache-2.0
import Glibc
import PetFiles
import Testing

@Suite("Drafts of files")
struct FileDraftTests {
  private let folder: ScratchFolder
  init() throws { folder = try ScratchFolder() }

  private func write(_ name: String, _ text: String, mode: mode_t = 0o644, calls: FileSystemCalls = .system) throws {
    let draft = try FileDraft(path: folder.at(name), mode: mode, calls: calls)
    try draft.write(Array(text.utf8))
    try draft.commit()
  }

  @Test(
    "a draft lies beside its file, whatever the path",
    arguments: [
      ("x", ".x.new"), ("/x", "/.x.new"), ("a/b.json", "a/.b.json.new"), ("a//é", "a//.é.new"), ("./.x", "./..x.new"),
    ])
  func path(_ path: String, _ draft: String) {
    #expect(FileDraft.path(of: path) == draft)
  }

  @Test("the file is there when it is whole, and not at all without a commit")
  func whole() throws {
    try folder.write("x", "old")
    do {
      let draft = try FileDraft(path: folder.at("x"))
      try draft.write(Array("new".utf8))
      try draft.writeZeros(2)
      #expect(draft.count == 5 && folder.names == [".x.new", "x"])
      #expect(try folder.text("x") == "old")
    }
    #expect(try folder.names == ["x"] && folder.text("x") == "old")
    try write("x", "new")
    #expect(try folder.names == ["x"] && folder.text("x") == "new")
  }

  @Test("more than the buffer is written in its order, also where the system takes little at once")
  func large() throws {
    var calls = FileSystemCalls.system
    calls.write = { FileSystemCalls.system.write($0, $1, min($2, 70_001)) }
    let draft = try FileDraft(path: folder.at("x"), expectedSize: 3_000_007, calls: calls)
    let pieces = [7, 1_000_000, 1 << 20, 600_000].map { [UInt8](repeating: UInt8($0 % 251), count: $0) }
    for piece in pieces { try draft.write(piece) }
    try draft.writeZeros(3)
    try draft.commit()
    #expect(try OpenFile.contents(folder.at("x"), atMost: 1 << 22) == pieces.flatMap { $0 } + [0, 0, 0])
  }

  @Test("where a system call fails, what was there stays, and nothing else")
  func failures() throws {
    try folder.write("x", "old")
    func refuses(_ operation: String, _ code: Int32, _ change: (inout FileSystemCalls) -> Void) {
      var calls = FileSystemCalls.system
      change(&calls)
      #expect(throws: FileError(path: folder.at("x"), operation: operation, code: code)) {
        try write("x", "new", calls: calls)
      }
    }
    refuses("write", ENOSPC) { $0.write = { _, _, _ in Self.failed(ENOSPC) } }
    refuses("write", EIO) { $0.write = { _, _, _ in 0 } }
    refuses("write", EIO) { $0.synchronize = { _ in Int32(Self.failed(EIO)) } }
    refuses("create", EACCES) { $0.rename = { _, _ in Int32(Self.failed(EACCES)) } }
    #expect(try folder.names == ["x"] && folder.text("x") == "old")
    #expect(throws: FileError(path: folder.at("y"), operation: "write", code: ENOSPC)) {
      try FileDraft(path: folder.at("y"), expectedSize: 1 << 60)
    }
    #expect(throws: FileError(path: folder.at("no/y"), operation: "open", code: ENOENT)) {
      try FileDraft(path: folder.at("no/y"))
    }
    #expect(folder.names == ["x"])
  }

  private static func failed(_ code: Int32) -> Int {
    errno = code
    return -1
  }

  @Test("two writers never mix their bytes: the second is refused while the first one lives")
  func twoWriters() throws {
    let first = try FileDraft(path: folder.at("x"))
    #expect(throws: FileError(path: folder.at("x"), operation: "lock", code: EWOULDBLOCK)) { try write("x", "second") }
    #expect(throws: FileError(path: folder.at("x"), operation: "lock", code: EWOULDBLOCK)) {
      try OpenFile.replace(folder.at("x"), text: "third")
    }
    try first.write(Array("first".utf8))
    try first.commit()
    #expect(try folder.text("x") == "first")
    // The first is still in memory, and done.
    try write("x", "second")
    #expect(try folder.text("x") == "second")
    withExtendedLifetime(first) {}
  }

  @Test("what an interrupted write left is replaced, and its mode and its other names get none of the bytes")
  func leftovers() throws {
    try folder.write(".x.new", "left by a write that was interrupted", mode: 0o666)
    try #require(link(folder.at(".x.new"), folder.at("other")) == 0)
    try write("x", "secret", mode: 0o600)
    #expect(try folder.mode("x") == 0o600 && folder.text("other")?.hasPrefix("left") == true)
    try folder.write("target", "kept")
    try #require(symlink("target", folder.at(".x.new")) == 0)
    try write("x", "more")
    try #require(mkfifo(folder.at(".x.new"), 0o600) == 0)
    try write("x", "most")
    #expect(try folder.text("x") == "most" && folder.text("target") == "kept")
    #expect(folder.names == ["other", "target", "x"])
    try Folder.create(folder.at(".x.new"))
    #expect(throws: FileError(path: folder.at("x"), operation: "open", code: EEXIST)) { try write("x", "none") }
    #expect(try folder.text("x") == "most")
  }

  @Test("folders, pipes and open files are no place for a file; a link to a file is")
  func obstacles() throws {
    try folder.write("file", "old")
    try #require(mkfifo(folder.at("pipe"), 0o600) == 0 && mkdir(folder.at("folder"), 0o700) == 0)
    try #require(symlink("/proc/self/fd/1", folder.at("open")) == 0 && symlink("file", folder.at("link")) == 0)
    for (name, code) in [("pipe", EINVAL), ("folder", EISDIR), ("open", EINVAL), ("", EISDIR), ("..", EISDIR)] {
      #expect(throws: FileError(path: folder.at(name), operation: "open", code: code)) { try write(name, "new") }
    }
    try write("link", "new")
    #expect(try folder.text("link") == "new" && folder.text("file") == "old")
    #expect(folder.names == ["file", "folder", "link", "open", "pipe"])
  }

  @Test("an output that would replace its input is known, by whatever name it is given")
  func replaced() throws {
    let input = try folder.write("in", "bytes")
    try #require(symlink("in", folder.at("link")) == 0 && link(input, folder.at(".out.new")) == 0)
    #expect(FileDraft.replaced(by: folder.at("link"), of: [folder.at("none"), input]) == input)
    #expect(FileDraft.replaced(by: folder.at("out"), of: [input]) == input)
    #expect(FileDraft.replaced(by: folder.at("else"), of: [input]) == nil)
  }
}
