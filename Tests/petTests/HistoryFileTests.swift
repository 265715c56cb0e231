// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import Testing
import pet

@Suite("The history of the line editor")
struct HistoryFileTests {
  private let path = FileManager.default.temporaryDirectory.path + "/pet-history-\(UUID().uuidString)"

  @Test("lines come back in order, and nobody else may read them")
  func order() throws {
    defer { unlink(path) }
    let history = HistoryFile(path: path)
    #expect(history.load() == [])
    history.append("first")
    history.append("zweite Zeile é")
    #expect(history.load() == ["first", "zweite Zeile é"])
    var status = stat()
    try #require(stat(path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
  }

  @Test("what is erased is gone, and the next line begins anew")
  func erase() throws {
    defer { unlink(path) }
    let history = HistoryFile(path: path)
    for line in ["I drink tea", "a steak", "Tea, please!"] { history.append(line) }
    history.erase(saying: "coffee")
    #expect(history.load().count == 3)
    history.erase(saying: "tea")
    #expect(history.load() == ["a steak"])
    history.erase(saying: "A STEAK")
    #expect(!FileManager.default.fileExists(atPath: path))
    history.append("first")
    history.erase()
    history.append("first")
    history.erase()
    #expect(history.load() == [] && access(path, F_OK) != 0)
    history.append("second")
    #expect(history.load() == ["second"])
  }

  @Test("a file that others could read is closed to them")
  func mode() throws {
    defer { unlink(path) }
    try Data("old\n".utf8).write(to: URL(filePath: path))
    chmod(path, 0o644)
    HistoryFile(path: path).append("new")
    var status = stat()
    try #require(stat(path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
  }

  @Test("it keeps the last thousand lines")
  func limit() throws {
    defer { unlink(path) }
    let lines = (0..<1500).map { "line \($0)" }
    try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: URL(filePath: path))
    let history = HistoryFile(path: path)
    #expect(history.load() == Array(lines.suffix(1000)))
    #expect(try String(contentsOf: URL(filePath: path), encoding: .utf8).split(separator: "\n").count == 1000)
  }

  @Test("a line with a line end in it stays one line")
  func lineEnd() {
    defer { unlink(path) }
    let history = HistoryFile(path: path)
    history.append("a\nb")
    #expect(history.load() == ["a b"])
  }

  @Test("no place to write is no error, and a pipe in its place does not block")
  func unwritable() throws {
    let nowhere = HistoryFile(path: "/proc/none/history")
    nowhere.append("x")
    #expect(nowhere.load() == [])
    defer { unlink(path) }
    try #require(mkfifo(path, 0o600) == 0)
    #expect(HistoryFile(path: path).load() == [])
  }
}
