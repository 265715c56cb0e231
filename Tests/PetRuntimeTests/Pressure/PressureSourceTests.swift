// SPDX-License-Identifier: Apache-2.0
import PetRuntime
import Testing

@Suite("Sources of memory pressure")
struct PressureSourceTests {
  @Test("the group's stalls before the machine's, events beside them, polling where a limit would be met unseen")
  func choice() {
    typealias Facts = PressureSource.Facts
    #expect(PressureSource.choose(Facts()) == [.polling])
    #expect(PressureSource.choose(Facts(systemStalls: "s")) == [.stalls(path: "s")])
    #expect(PressureSource.choose(Facts(groupStalls: "g", systemStalls: "s")) == [.stalls(path: "g")])
    #expect(
      PressureSource.choose(Facts(groupStalls: "g", groupEvents: "e")) == [.stalls(path: "g"), .events(path: "e")])
    #expect(PressureSource.choose(Facts(groupEvents: "e")) == [.events(path: "e"), .polling])
    #expect(PressureSource.choose(Facts(systemStalls: "s", hasLegacyLimit: true)) == [.stalls(path: "s"), .polling])
  }

  @Test("how much is left: the machine's, or a group's on the way up, version 1 and 2 and both")
  func room() throws {
    let root = try TemporaryFolder()
    #expect(MemoryRoom.read(root: root.path) == nil)
    try root.write("proc/meminfo", "MemTotal: 10000 kB\nMemAvailable: 4000 kB\n")
    let machine = MemoryRoom(available: 4_096_000, total: 10_240_000)
    #expect(MemoryRoom.read(root: root.path) == machine)
    // Who waits where a quarter is left does not wait for memory that is short.
    #expect(!MemoryRoom.mayBeShort(root: root.path))

    try root.write("proc/self/cgroup", "0::/outer/inner\n")
    try root.write("sys/fs/cgroup/outer/inner/memory.max", "max\n")
    try root.write("sys/fs/cgroup/outer/inner/memory.current", "100\n")
    try root.write("sys/fs/cgroup/outer/memory.max", "1000000\n")
    try root.write("sys/fs/cgroup/outer/memory.current", "900000\n")
    #expect(MemoryRoom.read(root: root.path) == MemoryRoom(available: 100_000, total: 1_000_000))
    // In a group with a limit who waits, waits for its own.
    #expect(MemoryRoom.mayBeShort(root: root.path))
    try root.write("sys/fs/cgroup/outer/memory.stat", "anon 1\ninactive_file 50000\nactive_file 10000\n")
    #expect(MemoryRoom.read(root: root.path) == MemoryRoom(available: 160_000, total: 1_000_000))
    // More than it may: nothing is left.
    try root.write("sys/fs/cgroup/outer/memory.current", "1900000\n")
    #expect(MemoryRoom.read(root: root.path)?.available == 0)

    // Version 2 beside version 1, without a limit of its own.
    try root.write("proc/self/cgroup", "4:memory:/pet\n0::/pet\n")
    #expect(MemoryRoom.read(root: root.path) == machine)
    try root.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n")
    try root.write("sys/fs/cgroup/memory/memory.usage_in_bytes", "5\n")
    try root.write("sys/fs/cgroup/memory/pet/memory.limit_in_bytes", "2000000\n")
    try root.write("sys/fs/cgroup/memory/pet/memory.usage_in_bytes", "500000\n")
    try root.write(
      "sys/fs/cgroup/memory/pet/memory.stat", "inactive_file 1\ntotal_inactive_file 90000\ntotal_active_file 10000\n")
    #expect(MemoryRoom.read(root: root.path) == MemoryRoom(available: 1_600_000, total: 2_000_000))
    for text in ["", "-1", "99999999999999999999999", "nonsense"] {
      try root.write("sys/fs/cgroup/memory/pet/memory.usage_in_bytes", text)
      #expect(MemoryRoom.read(root: root.path) == machine)
    }
  }

  @Test("nearly nothing left is pressure")
  func levels() {
    func level(_ available: UInt64) -> MemoryPressureLevel { MemoryRoom(available: available, total: 1000).level }
    #expect(level(100) == .normal && level(99) == .warning && level(50) == .warning && level(49) == .critical)
    #expect(MemoryRoom(available: 0, total: 0).level == .normal)
  }
}
