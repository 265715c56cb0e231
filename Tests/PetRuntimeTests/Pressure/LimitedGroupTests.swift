// SPDX-License-Identifier: Apache-2.0
import CInstrumentation
import FoundationEssentials
import Glibc
import PetFiles
import PetRuntime
import Testing

/// The kernel's own pressure: a process in a control group of 64 MB that reads a file of 160 MB over and over.
@Suite("Under a memory limit", .timeLimit(.minutes(2)))
struct LimitedGroupTests {
  @Test(
    "stalls are told, and idle models go",
    .enabled(if: LimitedGroup.canBeMade, "no control group with a memory limit can be made here"),
    .disabled(if: is_sanitized(), "sanitizers take more than the limit"))
  func stalls() async throws {
    defer { LimitedGroup.remove(of: getpid()) }
    await #expect(processExitsWith: .success) {
      let group = try LimitedGroup(bytes: 64 << 20, of: getppid())
      try group.enter()
      let monitor = try MemoryPressureMonitor()
      guard monitor.sources.contains(.stalls(path: group.stalls)) else { fatalError("sources: \(monitor.sources)") }
      guard let room = MemoryRoom.read(), room.total == 64 << 20 else { fatalError("the limit is not seen") }

      let runtime = ModelRuntime()
      let tooBig = try await runtime.add("big", loader: ModelLoader(version: "1", bytes: 65 << 20) { _ in 1 })
      do {
        try await tooBig.load()
        fatalError("loaded what the group has no room for")
      } catch ModelError.insufficientMemory(_, let needed, let available, _) where needed > available {}

      let model = try await runtime.add("m", loader: ModelLoader(version: "1", bytes: 1 << 20) { _ in [1, 2, 3] })
      try await model.load()
      let levels = monitor.levels
      let following = Task { await runtime.follow(levels) }
      let thrashing = try Thrashing(bytes: 160 << 20)
      var states = model.states.makeAsyncIterator()
      while let state = await states.next(), state != .notLoaded {}
      thrashing.stop()
      monitor.stop()
      await following.value
      group.leave()
      exit(EXIT_SUCCESS)
    }
  }
}

/// Reads more than fits, again and again, on a thread of its own.
private final class Thrashing: Sendable {
  private let isStopped = Latch()

  init(bytes: Int) throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("file", Data())
    let file = try OpenFile(path, flags: O_RDWR)
    let piece = [UInt8](repeating: 1, count: 1 << 20)
    for _ in 0..<(bytes >> 20) where write(file.descriptor, piece, piece.count) != piece.count {
      throw FileError(path: path, operation: "write", code: errno)
    }
    let memory = mmap(nil, bytes, PROT_READ, MAP_SHARED, file.descriptor, 0)
    guard let memory, memory != MAP_FAILED else { throw FileError(path: path, operation: "map", code: errno) }
    let address = UInt(bitPattern: memory)
    let isStopped = isStopped
    try startThread {
      withExtendedLifetime(folder) {
        var sum: UInt64 = 0
        while !isStopped.isOpen {
          for offset in stride(from: 0, to: UInt(bytes), by: 4096) {
            sum &+= UInt64(UnsafePointer<UInt8>(bitPattern: address + offset)?.pointee ?? 0)
          }
        }
        precondition(sum > 0)
      }
    }
  }

  func stop() { isStopped.open() }
}

/// Control groups that limit memory. Stalls are counted by groups of version 2, which exist beside version 1 even where
/// that one has the memory.
private struct LimitedGroup {
  private static let isLegacy = Folder.isFolder("/sys/fs/cgroup/memory")
  private static let unified = isLegacy ? "/sys/fs/cgroup/unified" : "/sys/fs/cgroup"
  private static let mounts = isLegacy ? ["/sys/fs/cgroup/memory", unified] : [unified]

  private static func name(_ owner: pid_t) -> String { "pet-test-\(owner)" }

  private let name: String
  private let homes: [String]
  /// Where stalls of the group are told.
  var stalls: String { "\(Self.unified)/\(name)/memory.pressure" }

  /// A group can be made and its limit set.
  static var canBeMade: Bool {
    defer { remove(of: getpid()) }
    return (try? LimitedGroup(bytes: 64 << 20, of: getpid())) != nil
  }

  /// - Parameter owner: the process that removes them again.
  init(bytes: UInt64, of owner: pid_t) throws {
    name = Self.name(owner)
    let groups = try String(contentsOfFile: "/proc/self/cgroup", encoding: .utf8).split(separator: "\n")
    func home(_ mark: String) -> String {
      let line = groups.first { $0.contains(mark) } ?? "::/"
      return String(line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)[2])
    }
    homes = Self.isLegacy ? [home(":memory:"), home("0::")] : [home("0::")]
    for mount in Self.mounts { try Folder.create("\(mount)/\(name)") }
    try Self.write("\(bytes)", "\(Self.mounts[0])/\(name)/\(Self.isLegacy ? "memory.limit_in_bytes" : "memory.max")")
    _ = try OpenFile(stalls, flags: O_RDWR)
  }

  /// Takes this process in.
  func enter() throws {
    for mount in Self.mounts { try Self.write("0", "\(mount)/\(name)/cgroup.procs") }
  }

  /// Takes it back where it was.
  func leave() {
    for (mount, home) in zip(Self.mounts, homes) { try? Self.write("0", "\(mount)\(home)/cgroup.procs") }
  }

  static func remove(of owner: pid_t) {
    for mount in mounts {
      // A process that has just ended is still counted for a moment.
      for _ in 0..<100 where rmdir("\(mount)/\(name(owner))") != 0 && errno == EBUSY { usleep(10_000) }
    }
  }

  private static func write(_ text: String, _ path: String) throws {
    let file = try OpenFile(path, flags: O_WRONLY)
    guard Glibc.write(file.descriptor, text, text.utf8.count) == text.utf8.count else {
      throw FileError(path: path, operation: "write", code: errno)
    }
  }
}
