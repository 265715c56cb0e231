import Glibc
import PetRuntime
import Testing

@Suite("Files that are replaced")
struct OpenFileTests {
  private let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  private func path(_ name: String) -> String { "\(folder.path)/\(name)" }

  private func kind(_ name: String) -> mode_t {
    var status = stat()
    return lstat(path(name), &status) == 0 ? status.st_mode & S_IFMT : 0
  }

  private func text(_ name: String) throws -> String? {
    try OpenFile.contents(path(name), atMost: 100).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test("a file takes the place of another, and of a link to one")
  func files() throws {
    try folder.write("file", "old")
    try #require(symlink("file", path("link")) == 0)
    try OpenFile.replace(path("link"), text: "new")
    #expect(try kind("link") == S_IFREG && text("link") == "new" && text("file") == "old")
    try OpenFile.replace(path("file"), text: "newer")
    #expect(try text("file") == "newer")
    #expect(Folder.names(in: folder.path) == ["file", "link"])
  }

  @Test("a pipe is written into, and stays")
  func pipes() throws {
    try #require(mkfifo(path("pipe"), 0o600) == 0)
    // Whoever writes into a pipe waits for its reader.
    let reader = try OpenFile(path("pipe"), flags: O_RDWR | O_NONBLOCK)
    try OpenFile.replace(path("pipe"), text: "new")
    var buffer = [UInt8](repeating: 0, count: 10)
    let count = read(reader.descriptor, &buffer, buffer.count)
    #expect(count == 3 && buffer.starts(with: "new".utf8))
    #expect(kind("pipe") == S_IFIFO && Folder.names(in: folder.path) == ["pipe"])
  }

  @Test("a link to what is open, as /dev/stdout is one, is written into where that is, and stays")
  func openFiles() throws {
    let file = try OpenFile(path("file"), flags: O_RDWR | O_CREAT, mode: 0o600)
    try Array("one ".utf8).withUnsafeBytes { try file.write($0) }
    let target = "/proc/self/fd/\(file.descriptor)"
    try #require(symlink(target, path("link")) == 0)
    try OpenFile.replace(path("link"), text: "two ")
    try Array("three".utf8).withUnsafeBytes { try file.write($0) }
    #expect(try kind("link") == S_IFLNK && text("file") == "one two three")
  }

  @Test("a folder is refused")
  func folders() throws {
    #expect(throws: FileError(path: folder.path, operation: "open", code: EISDIR)) {
      try OpenFile.replace(folder.path, text: "new")
    }
  }
}
