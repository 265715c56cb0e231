// SPDX-License-Identifier: Apache-2.0
import PetRuntime
import Testing

@Suite("Device facts from a tree of files")
struct DeviceFactsTests {
  private let root: TemporaryFolder

  init() throws {
    root = try TemporaryFolder()
    try root.write(
      "proc/cpuinfo",
      """
      processor\t: 0
      vendor_id\t: X
      model name\t: Test CPU @ 2.00GHz

      processor\t: 1
      model name\t: Test CPU @ 2.00GHz
      """)
    try root.write(
      "proc/meminfo", "MemTotal:       1000 kB\nMemFree:   10 kB\nMemAvailable:    600 kB\nHugePages_Total:   0\n")
    try root.write("proc/self/status", "Name:\tpet\nCpus_allowed:\t3\nCpus_allowed_list:\t0-1\n")
    try root.write("etc/os-release", "NAME=\"Testix\"\nPRETTY_NAME=\"Testix 1 (first)\"\n")
    try root.write("proc/sys/kernel/osrelease", "6.1.0-test\n")
  }

  @Test("a plain machine")
  func plain() {
    let facts = DeviceFacts.read(root: root.path)
    #expect(facts.cpu.model == "Test CPU @ 2.00GHz")
    #expect(facts.cpu.processors == 2)
    #expect(facts.cpu.allowed == 2)
    #expect(facts.cpu.quota == nil)
    #expect(facts.memory.total == 1_024_000)
    #expect(facts.memory.available == 614_400)
    #expect(facts.memory.limit == nil)
    #expect(facts.system == "Testix 1 (first)")
    #expect(facts.kernel == "6.1.0-test")
  }

  @Test("resident memory: now, and at most; 0 where the system does not say")
  func residentMemory() throws {
    try root.write("proc/self/status", "Name:\tpet\nVmHWM:\t    3000 kB\nVmRSS:\t    2000 kB\nRssFile:\t  9 kB\n")
    let memory = ResidentMemory.read(root: root.path)
    #expect(memory.current == 2_048_000 && memory.peak == 3_072_000)
    try root.write("proc/self/status", "Name:\tpet\nVmRSS:\t    2000\n")
    let unknown = ResidentMemory.read(root: root.path)
    #expect(unknown.current == 0 && unknown.peak == 0)
  }

  @Test("control groups, version 2: the tightest limit on the way up holds")
  func unified() throws {
    try root.write("proc/self/cgroup", "0::/outer/inner\n")
    try root.write("sys/fs/cgroup/outer/inner/cpu.max", "max 100000\n")
    try root.write("sys/fs/cgroup/outer/cpu.max", "150000 100000\n")
    try root.write("sys/fs/cgroup/outer/inner/memory.max", "800000\n")
    try root.write("sys/fs/cgroup/outer/memory.max", "max\n")
    let facts = DeviceFacts.read(root: root.path)
    #expect(facts.cpu.quota == 1.5)
    #expect(facts.memory.limit == 800_000)
  }

  @Test("control groups, version 1; a limit above the memory is none")
  func legacy() throws {
    try root.write("proc/self/cgroup", "5:cpu,cpuacct:/docker/abc\n4:memory:/docker/abc\n1:name=systemd:/x:y\n")
    // In a container only the mount's own root is there.
    try root.write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "50000\n")
    try root.write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n")
    try root.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n")
    var facts = DeviceFacts.read(root: root.path)
    #expect(facts.cpu.quota == 0.5)
    #expect(facts.memory.limit == nil)

    try root.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "2000000\n")
    facts = DeviceFacts.read(root: root.path)
    #expect(facts.memory.limit == nil)

    try root.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "500000\n")
    #expect(DeviceFacts.read(root: root.path).memory.limit == 500_000)
  }

  @Test("a machine that pins this process, and one that gives no model name")
  func pinned() throws {
    try root.write("proc/self/status", "Cpus_allowed_list:\t0-3,8,10-11\n")
    try root.write("proc/cpuinfo", "processor\t: 0\nBogoMIPS\t: 48.00\nCPU part\t: 0xd0c\n")
    try root.write("proc/device-tree/model", "Test Board 5\0")
    let facts = DeviceFacts.read(root: root.path)
    #expect(facts.cpu.allowed == 7)
    #expect(facts.cpu.processors == 1)
    #expect(facts.cpu.model == "Test Board 5")
  }

  @Test("the processors alone are the same")
  func share() throws {
    #expect(ProcessorShare.read(root: root.path) == ProcessorShare(allowed: 2, quota: nil))
    try root.write("proc/self/cgroup", "0::/a\n")
    try root.write("sys/fs/cgroup/a/cpu.max", "250000 100000\n")
    try root.write("proc/self/status", "Name:\tpet\nCpus_allowed_list:\t0,2-3 \n")
    #expect(ProcessorShare.read(root: root.path) == ProcessorShare(allowed: 3, quota: 2.5))
    try root.write("proc/self/status", "Name:\tCpus_allowed_list:\n")
    #expect(ProcessorShare.read(root: root.path).allowed == 2, "as many as the machine has")
    #expect(ProcessorShare.read(root: try TemporaryFolder().path) == ProcessorShare(allowed: 0, quota: nil))
  }

  /// More threads than a control group grants would wait for one another.
  @Test("threads: what may run at once, 1 to 64")
  func threads() {
    for (allowed, quota, threads) in [
      (8, nil, 8), (8, 2.5, 3), (8, 0.2, 1), (0, nil, 1), (500, nil, 64), (2, 16, 2), (8, -1, 1), (8, 1e300, 8),
      (-5, nil, 1), (.max, .infinity, 64),
    ] as [(Int, Double?, Int)] {
      #expect(ProcessorShare(allowed: allowed, quota: quota).threadCount == threads)
    }
    #expect(ProcessorShare(allowed: 4, quota: 1.5).processors == 1.5)
  }

  @Test("int8 hardware by the flags of the processor")
  func int8() throws {
    func found(_ line: String) throws -> [String] {
      try root.write("proc/cpuinfo", "processor\t: 0\n\(line)\n")
      return Int8Hardware.read(root: root.path).instructions
    }
    #expect(try found("flags\t\t: fpu avx2 avx512_vnni amx_int8") == ["AVX-512 VNNI"])
    #expect(try found("flags\t\t: fpu avx_vnni") == ["AVX-VNNI"])
    #expect(try found("Features\t: fp asimd asimddp i8mm") == ["NEON dotprod", "NEON i8mm"])
    #expect(try found("flags\t\t: fpu avx2 avx512_vnni2 xavx_vnni") == [])
    #expect(try found("vmx flags\t: avx_vnni") == [])
    #expect(Int8Hardware.read(root: try TemporaryFolder().path).isPresent == false)
  }

  @Test("nothing to read gives facts that say so")
  func empty() throws {
    let facts = DeviceFacts.read(root: try TemporaryFolder().path)
    #expect(facts.cpu.model == "unknown")
    #expect(facts.cpu.processors == 0)
    #expect(facts.memory.total == 0)
    #expect(facts.memory.limit == nil)
  }

  @Test("garbage does not trap")
  func garbage() throws {
    try root.write("proc/cpuinfo", ":::\nprocessor\nmodel name\n: :\n")
    try root.write("proc/meminfo", "MemTotal: 99999999999999999999 kB\nMemAvailable: -5 kB\nMemTotal\n")
    try root.write("proc/self/status", "Cpus_allowed_list:\t9-1,9223372036854775807,x-\n")
    try root.write("proc/self/cgroup", "0::\n::\n0::/../../etc\nx\n")
    try root.write("sys/fs/cgroup/cpu.max", "x y\n")
    let facts = DeviceFacts.read(root: root.path)
    #expect(facts.memory.total == 0)
    #expect(facts.cpu.quota == nil)
  }

  @Test("this machine")
  func here() {
    let facts = DeviceFacts.read()
    #expect(facts.cpu.processors > 0)
    #expect(facts.cpu.allowed > 0)
    #expect(facts.memory.total > 0)
    #expect(facts.memory.available <= facts.memory.total)
    let sets = InstructionSets.current()
    #expect(sets.usable.first == "scalar")
    #expect(sets.usable.contains(sets.chosen))
  }
}
