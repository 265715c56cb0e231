// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@Suite("pet memory")
struct MemoryCommandTests {
  private let home: TemporaryHome

  init() throws { home = try TemporaryHome() }

  @Test("what one pet remembers another can, by a file")
  func moves() throws {
    let file = home.path + "/mochi.json"
    let none = try PetBinary.run(["memory", "export"], home: home.path)
    #expect(none.status == 2 && none.error.contains("remembers nothing yet"))
    let told = try PetBinary.run(
      ["chat", "--profile", "watch", "--no-service"], home: home.path, input: "My dog is called Wotan.\n")
    #expect(told.status == 0)
    let export = try PetBinary.run(["memory", "export", "--output", file], home: home.path)
    #expect(export.status == 0 && export.error.contains("not sealed"), "\(export.error)")
    #expect(try String(contentsOfFile: file, encoding: .utf8).contains("has a dog named Wotan"))
    let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    // Nothing is written over.
    #expect(try PetBinary.run(["memory", "export", "--output", file], home: home.path).status == 3)
    // Who only reads makes no key.
    let key = home.path + "/new.key"
    #expect(try PetBinary.run(["memory", "export", "--key-file", key], home: home.path).status != 0)
    #expect(!FileManager.default.fileExists(atPath: key))
    let first = try PetBinary.run(["memory", "import", file, "--persona", "zest"], home: home.path)
    #expect(first.status == 0 && first.output == "new memories of Zest: 1\n", "\(first.output)\(first.error)")
    let again = try PetBinary.run(["memory", "import", file, "--persona", "zest"], home: home.path)
    #expect(again.output.contains("known already, or otherwise since: 1"))
    let list = try PetBinary.run(
      ["chat", "--profile", "watch", "--no-service", "--persona", "zest"], home: home.path, input: "/memory\n")
    #expect(list.output.contains("has a dog named Wotan"))
  }

  @Test("what is no file of memories is refused in one line")
  func refused() throws {
    let file = home.path + "/x.json"
    try "{}".write(toFile: file, atomically: true, encoding: .utf8)
    for path in [file, home.path + "/none.json", home.path] {
      let run = try PetBinary.run(["memory", "import", path], home: home.path)
      #expect(run.status == 3 && run.error.split(separator: "\n").count == 1, "\(run.error)")
    }
  }
}
