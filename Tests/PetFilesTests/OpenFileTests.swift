// SPDX-License-Identifier: Apache-2.0
import Glibc
import PetFiles
import Testing

@Suite("Files that are read and replaced")
struct OpenFileTests {
  private let folder: ScratchFolder
  init() throws { folder = try ScratchFolder() }

  @Test("a file takes the place of another, and of a link to one")
  func files() throws {
    try folder.write("file", "old")
    try #require(symlink("file", folder.at("link")) == 0)
    try OpenFile.replace(folder.at("link"), text: "new")
    #expect(try folder.kind("link") == S_IFREG && folder.text("link") == "new" && folder.text("file") == "old")
    try OpenFile.replace(folder.at("file"), text: "newer")
    #expect(try folder.text("file") == "newer" && folder.names == ["file", "link"])
  }

  @Test("a pipe is written into, and stays")
  func pipes() throws {
    try #require(mkfifo(folder.at("pipe"), 0o600) == 0)
    // Whoever writes into a pipe waits for its reader.
    let reader = try OpenFile(folder.at("pipe"), flags: O_RDWR | O_NONBLOCK)
    try OpenFile.replace(folder.at("pipe"), text: "new")
    var buffer = [UInt8](repeating: 0, count: 10)
    let count = read(reader.descriptor, &buffer, buffer.count)
    #expect(count == 3 && buffer.starts(with: "new".utf8))
    #expect(folder.kind("pipe") == S_IFIFO && folder.names == ["pipe"])
  }

  @Test("a link to what is open, as /dev/stdout is one, is written into where that is, and stays")
  func openFiles() throws {
    let file = try OpenFile(folder.at("file"), flags: O_RDWR | O_CREAT, mode: 0o600)
    try Array("one ".utf8).withUnsafeBytes { try file.write($0) }
    let target = "/proc/self/fd/\(file.descriptor)"
    try #require(symlink(target, folder.at("link")) == 0)
    try OpenFile.replace(folder.at("link"), text: "two ")
    try Array("three".utf8).withUnsafeBytes { try file.write($0) }
    #expect(try folder.kind("link") == S_IFLNK && folder.text("file") == "one two three")
  }

  @Test("a folder is refused")
  func folders() throws {
    #expect(throws: FileError(path: folder.path, operation: "open", code: EISDIR)) {
      try OpenFile.replace(folder.path, text: "new")
    }
  }

  @Test("a new file is made once: another that is there stays")
  func publish() throws {
    for make in [OpenFile.publish, OpenFile.create] as [(String, UnsafeRawBufferPointer) throws -> Void] {
      let path = folder.at("x")
      try Array("first".utf8).withUnsafeBytes { try make(path, $0) }
      #expect(throws: FileError.self) { try Array("second".utf8).withUnsafeBytes { try make(path, $0) } }
      #expect(try folder.text("x") == "first" && folder.mode("x") == 0o600 && folder.names == ["x"])
      unlink(path)
    }
  }

  @Test("a file is read up to a limit, one that is not there is none, and what is no file is refused")
  func contents() throws {
    let path = try folder.write("x", "12345")
    #expect(try OpenFile.contents(path, atMost: 5) == Array("12345".utf8))
    #expect(throws: FileError(path: path, operation: "read", code: EFBIG)) { try OpenFile.contents(path, atMost: 4) }
    #expect(try OpenFile.contents(folder.at("none"), atMost: 4) == nil)
    #expect(try OpenFile.contents(path + "/none", atMost: 4) == nil)
    #expect(throws: FileError(path: folder.path, operation: "read", code: EISDIR)) {
      try OpenFile.contents(folder.path, atMost: 4)
    }
    try #require(mkfifo(folder.at("pipe"), 0o600) == 0)
    #expect(throws: FileError(path: folder.at("pipe"), operation: "read", code: EINVAL)) {
      try OpenFile.contents(folder.at("pipe"), atMost: 4)
    }
  }

  @Test("a part of a file is read at its place, and a file that was cut short says so")
  func parts() throws {
    let path = try folder.write("x", "0123456789")
    let file = try RandomAccessFile(path: path)
    #expect(try file.size == 10 && file.read(3..<6) == Array("345".utf8) && file.read(10..<10) == [])
    try #require(truncate(path, 5) == 0)
    let error = FileError(path: path, operation: "read", code: 0)
    #expect(throws: error) { try file.read(3..<6) }
    #expect(throws: error) { try file.read(3..<11) }
    #expect(
      "\(error)".hasSuffix(
        "cannot read: the file ends too early; it was cut short or is still being written: fetch it again"))
    let mapped = try MappedFile(path: path)
    #expect(mapped.bytes.elementsEqual("01234".utf8))
    #expect(ByteRegion(mapped, 1..<3) == ByteRegion(Array("12".utf8)))
    #expect(throws: FileError(path: folder.at("none"), operation: "open", code: ENOENT)) {
      try MappedFile(path: folder.at("none"))
    }
  }

  @Test("an error says what, where and how to mend it, in one line")
  func errors() {
    #expect(
      "\(FileError(path: "a\u{1B}[2J\nb", operation: "open", code: ENOENT))"
        == "a\\u{1b}[2J\\u{a}b: cannot open: No such file or directory; check the path")
    #expect("\(FileError(path: "", operation: "open", code: EPERM))".hasPrefix("'': cannot open: "))
    #expect(
      "\(FileError(path: "x", operation: "lock", code: EWOULDBLOCK))".hasSuffix(
        "; another process uses it: wait for it to end"))
    #expect(FileError(path: "x", operation: "open", code: ENOTDIR).isMissing)
    #expect(!FileError(path: "x", operation: "open", code: EACCES).isMissing)
    #expect(
      FileError(path: ".x.new", operation: "write", code: EIO).naming("x", insteadOf: ".x.new")
        == FileError(path: "x", operation: "write", code: EIO))
  }

  @Test("what a path says")
  func paths() throws {
    for (path, parent, name) in [
      ("a", ".", "a"), ("/a", "/", "a"), ("a/é", "a", "é"), ("/a/b/", "/a/b", ""), ("", ".", ""),
    ] {
      #expect(FilePath.folder(of: path) == parent && FilePath.name(of: path) == name, "\(path)")
    }
    try folder.write("x", "", mode: 0o600)
    #expect(FilePath.isPrivate(folder.at("x")) && !FilePath.isPrivate(folder.at("none")))
    try #require(chmod(folder.at("x"), 0o640) == 0)
    #expect(!FilePath.isPrivate(folder.at("x")) && FilePath.exists(folder.at("x")) && !FilePath.isLink(folder.at("x")))
  }
}
