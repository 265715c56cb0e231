// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@Suite("pet uninstall")
struct UninstallTests {
  private let home: TemporaryHome

  init() throws { home = try TemporaryHome() }

  private func uninstall(_ arguments: String...) throws -> PetBinary.Result {
    try PetBinary.run(["uninstall"] + arguments, home: home.path)
  }

  @Test("shows what is kept, removes it when that is wanted, and nothing of others")
  func removes() throws {
    let folder = home.path
    #expect(
      try PetBinary.run(
        ["chat", "--profile", "watch", "--no-service"], home: folder, input: "My dog is called Wotan.\n"
      )
      .status == 0)
    try "mine".write(toFile: folder + "/notes.txt", atomically: true, encoding: .utf8)
    try "bait".write(toFile: folder + "/outside", atomically: true, encoding: .utf8)
    try FileManager.default.createSymbolicLink(atPath: folder + "/models", withDestinationPath: folder + "/outside")
    // A file that has another name elsewhere keeps its words there.
    try "mine, too".write(toFile: folder + "/outside-2", atomically: true, encoding: .utf8)
    try FileManager.default.linkItem(atPath: folder + "/outside-2", toPath: folder + "/pets/mine.txt")
    let asked = try uninstall()
    #expect(asked.status == 3 && asked.error.contains("--yes") && asked.output.contains("pets"))
    #expect(asked.output.contains("left alone: notes.txt, outside, outside-2"))
    #expect(asked.output.contains("a link, whose target stays"))
    #expect(try uninstall("--keep-pets", "--yes").status == 0)
    #expect(FileManager.default.fileExists(atPath: folder + "/pets/mochi/memory.sqlite"))
    let gone = try uninstall("--yes")
    #expect(gone.status == 0 && gone.output.contains("Removed. The program stays: /"), "\(gone.error)")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["notes.txt", "outside", "outside-2"])
    #expect(try String(contentsOfFile: folder + "/outside-2", encoding: .utf8) == "mine, too")
    #expect(try String(contentsOfFile: folder + "/outside", encoding: .utf8) == "bait")
    #expect(try uninstall("--yes").output.contains("Nothing is kept"))
  }
}
