// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import PetMemory
import SeededGenerator
import Testing

@Suite("A program killed while it writes memories")
struct KillTests {
  /// Where the tests are, the program that they kill is too.
  private static var writer: String? {
    guard let tests = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"),
      let build = CommandLine.arguments.first(where: { $0.contains("/.build") || $0.contains(".xctest") })
    else { return nil }
    return [tests, build]
      .map { $0.split(separator: "/").dropLast().joined(separator: "/") }
      .map { "/\($0)/MemoryWriter" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// Runs the writer for some time, which begins with its first report or with the program itself, kills it, and returns the
  /// last turn that it reported.
  private static func run(
    _ program: String, _ path: String, from first: Int, microseconds: UInt32, atWork: Bool
  ) throws -> Int {
    var ends: [Int32] = [0, 0]
    // What was written is there when the child is gone, and nobody waits for an end that programs of other tests may hold open.
    try #require(pipe(&ends) == 0 && fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    var arguments: [UnsafeMutablePointer<CChar>?] = [strdup(program), strdup(path), strdup("\(first)"), nil]
    defer { for argument in arguments { free(argument) } }
    var child: pid_t = 0
    try #require(posix_spawn(&child, program, &actions, nil, &arguments, nil) == 0)
    close(ends[1])
    if atWork {
      var report = pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0)
      #expect(poll(&report, 1, 60_000) == 1)
    }
    usleep(microseconds)
    kill(child, SIGKILL)
    var status: Int32 = 0
    waitpid(child, &status, 0)
    // It was killed, and did not end by itself for some error.
    #expect(status & 0x7F == SIGKILL)
    var reported: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while case let count = read(ends[0], &buffer, buffer.count), count > 0 { reported += buffer[..<count] }
    close(ends[0])
    let lines = String(decoding: reported, as: UTF8.self).split(separator: "\n")
    return lines.last.flatMap { Int($0) } ?? first - 1
  }

  @Test("killed at 200 random points: the file opens, all that was reported is there, turns are whole")
  func kills() async throws {
    let program = try #require(Self.writer, "the program MemoryWriter is not beside the tests")
    var random = SeededGenerator(seed: 5)
    var written = 0
    for _ in 0..<10 {
      let folder = try TemporaryFolder()
      let path = folder.file("m")
      var next = 1
      for round in 0..<20 {
        let delay = UInt32.random(in: 1000...120_000, using: &random)
        let reported = try Self.run(program, path, from: next, microseconds: delay, atWork: round % 2 == 1)
        let store = try MemoryStore(path, onDamage: .refuse)
        let facts = try await store.facts(at: 0, former: true)
        let likes = facts.filter { $0.kind == .likes }
        let ages = facts.filter { $0.kind == .age }
        // One turn may be kept whose report was cut off.
        #expect(likes.count == reported || likes.count == reported + 1)
        #expect(likes.map(\.text) == (0..<likes.count).map { "likes thing \($0 + 1)" })
        #expect(ages.map(\.text) == (0..<likes.count).map { "user is \($0 + 1)" })
        #expect(ages.dropLast().allSatisfy { $0.supersededBy != nil } && ages.last?.supersededBy == nil)
        next = likes.count + 1
        try await store.close()
      }
      written += next - 1
    }
    // It was killed at work, not only before: every other time it had reported a turn.
    #expect(written >= 100)
  }
}
