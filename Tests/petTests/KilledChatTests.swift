// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import PetCompanion
import PetMemory
import SeededGenerator
import Testing

/// The short form of Benchmarks/companion/kill.py.
@Suite("pet chat, killed")
struct KilledChatTests {
  private static let things = [
    "kettles", "lanterns", "teapots", "maps", "bells", "boats", "clocks", "hats", "kites", "shells",
  ]

  @Test(
    "killed five times while it talks: what was answered is remembered, the pet's state is whole, nothing is reported")
  func killed() async throws {
    let home = try TemporaryHome()
    let folder = home.path + "/pets/mochi"
    var random = SeededGenerator(seed: 11)
    var known: Set<String> = []
    var seconds: Int64 = 0
    for (run, colour) in ["copper", "striped", "wooden", "purple", "tiny"].enumerated() {
      let words = Self.things.map { "\(colour) \($0)" }
      // The last waits for answers, so that the test does not depend on how busy the machine is.
      let answered = try await Self.talkAndKill(
        home.path, words.map { "i love \($0)" }, atLeast: run == 4 ? 3 : 0,
        milliseconds: UInt64.random(in: 0...800, using: &random))
      known.formUnion(words.prefix(answered))

      if FileManager.default.fileExists(atPath: folder + "/memory.sqlite") {
        let store = try MemoryStore(folder + "/memory.sqlite", onDamage: .refuse)
        let texts = try await store.facts(at: 0, former: true).map(\.text)
        #expect(known.subtracting(known.filter { word in texts.contains { $0.contains(word) } }) == [])
        try await store.close()
      }
      let life = try PetStateFile(folder + "/state.json").load(seconds: 0)?.life
      #expect(life != nil || known.isEmpty)
      #expect(life?.seconds ?? seconds >= seconds)
      seconds = life?.seconds ?? seconds

      let next = try PetBinary.run(
        ["chat", "--profile", "watch", "--json"], home: home.path, input: "your kettle has a lid\n")
      #expect(next.status == 0 && next.complaints == "", "\(next.error)")
      #expect(next.output.contains("\"text\""))
      let names = try FileManager.default.contentsOfDirectory(atPath: folder)
      #expect(Set(names).isSuperset(of: ["memory.sqlite", "state.json", "answers.cache"]))
      #expect(!names.contains { $0.contains("damaged") || $0.hasSuffix(".new") }, "\(names)")
    }
    #expect(known.count >= 3)
  }

  /// How many lines were answered before the program was killed.
  /// - Parameters:
  ///   - least: it is not killed before so many answers.
  ///   - milliseconds: from its start on.
  private static func talkAndKill(
    _ home: String, _ lines: [String], atLeast least: Int, milliseconds: UInt64
  ) async throws -> Int {
    let folder = try TemporaryHome()
    defer { withExtendedLifetime(folder) {} }
    let (input, output) = (folder.path + "/in", folder.path + "/out")
    try Data(lines.map { $0 + "\n" }.joined().utf8).write(to: URL(filePath: input))
    let files = (
      open(input, O_RDONLY | O_CLOEXEC), open(output, O_RDWR | O_CREAT | O_CLOEXEC, 0o600),
      open("/dev/null", O_WRONLY | O_CLOEXEC)
    )
    defer { for file in [files.0, files.1, files.2] { close(file) } }
    func answered() throws -> Int { try Data(contentsOf: URL(filePath: output)).count { $0 == UInt8(ascii: "\n") } }
    let child = try SpawnedProcess(
      PetBinary.path, ["chat", "--profile", "watch", "--json", "--seed", "2"],
      environment: ["PATH": "/usr/bin:/bin", "PET_HOME": home], files: files)
    try await Task.sleep(for: .milliseconds(milliseconds))
    for _ in patience where try answered() < least { try await Task.sleep(for: .milliseconds(10)) }
    kill(child.pid, SIGKILL)
    _ = child.wait()
    return try answered()
  }
}
