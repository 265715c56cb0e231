// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import PetRuntime
import Testing

@Suite("Files of settings")
struct ConfigurationFileTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func error(_ sources: Configuration.Sources) -> ConfigurationError? {
    #expect(throws: ConfigurationError.self) { try Configuration(sources) }
  }

  @Test("the usual file need not be there; one that was asked for must")
  func absence() throws {
    let path = folder.path + "/none.toml"
    _ = try Configuration(.init(usualFile: path))
    _ = try Configuration(.init(usualFile: folder.path + "/a/b/none.toml"))
    #expect(error(.init(file: path)) == .missing(path: path))
    #expect(error(.init(file: path))?.description.contains("--config") == true)
    // The named file is read in the place of the usual one.
    let usual = try folder.write("usual.toml", "threads = 7\ncontext = 77\n")
    let named = try folder.write("named.toml", "threads = 5\n")
    let configuration = try Configuration(.init(usualFile: usual, file: named))
    #expect(configuration.threads.value == 5 && configuration.context.value == 2048)
    #expect(try Configuration(.init(usualFile: usual)).context.value == 77)
  }

  @Test("what is no file is refused at once, and a usual file that cannot be read is not passed over")
  func notAFile() throws {
    for sources in [Configuration.Sources(usualFile: folder.path), .init(file: folder.path)] {
      guard case .file(let failure) = error(sources) else {
        Issue.record("a folder was read")
        continue
      }
      #expect(failure.code == EISDIR)
    }
    let pipe = folder.path + "/pipe"
    #expect(mkfifo(pipe, 0o600) == 0)
    guard case .file = error(.init(file: pipe)) else {
      Issue.record("a pipe was read")
      return
    }
    guard case .file = error(.init(file: "/dev/zero")) else {
      Issue.record("a device was read")
      return
    }
  }

  @Test("size, depth and bytes that are no text")
  func hostile() throws {
    let most = 64 << 10
    let full = try folder.write("full.toml", "threads = 2 #" + String(repeating: "x", count: most - 13))
    #expect(try Configuration(.init(file: full)).threads.value == 2)
    let large = try folder.write("large.toml", "threads = 2 #" + String(repeating: "x", count: most - 12))
    #expect(error(.init(file: large)) == .tooLarge(path: large, limit: most))
    let huge = try folder.write("huge.toml", "")
    #expect(truncate(huge, 1 << 40) == 0)
    #expect(error(.init(file: huge)) == .tooLarge(path: huge, limit: most))

    for (name, text) in [
      ("arrays", "a = " + String(repeating: "[", count: 60_000)),
      ("tables", "a = " + String(repeating: "{a=", count: 20_000)),
      ("path", "a" + String(repeating: ".a", count: 30_000) + " = 1"),
      ("header", "[a" + String(repeating: ".a", count: 30_000) + "]"),
      ("strings", "a = " + String(repeating: "\"", count: 60_000)),
      ("headers", (0..<8000).map { "[a\($0)]\n" }.joined() + "x"),
    ] {
      let path = try folder.write(name + ".toml", text)
      guard case .malformed(path, _) = error(.init(file: path)) else {
        Issue.record("\(name) was read")
        continue
      }
    }
    let binary = try folder.write("binary.toml", Data((0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 128) }))
    #expect(error(.init(file: binary))?.description.contains("binary.toml:1:") == true)
    let zeros = try folder.write("zeros.toml", Data(count: 100))
    #expect(error(.init(file: zeros))?.description.contains("zeros.toml:1:1: ") == true)
  }

  @Test("an empty file and one of comments change nothing")
  func empty() throws {
    for text in ["", "\n\n", "# threads = 5\n[memory]\n# budget\n"] {
      let path = try folder.write("empty.toml", text)
      #expect(try Configuration(.init(file: path)) == Configuration())
    }
  }
}
