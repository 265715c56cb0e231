// SPDX-License-Identifier: Apache-2.0
/// What this machine is, as far as it says.
public struct DeviceFacts: Sendable, Equatable, Encodable {
  public struct CPU: Sendable, Equatable, Encodable {
    public var model: String
    /// Logical processors of the machine.
    public var processors: Int
    /// Those this process may run on.
    public var allowed: Int
    /// Processors' worth of time that the control group grants, or nil for no limit.
    public var quota: Double?

    public init(model: String, processors: Int, allowed: Int, quota: Double?) {
      self.model = model
      self.processors = processors
      self.allowed = allowed
      self.quota = quota
    }
  }

  /// Bytes.
  public struct Memory: Sendable, Equatable, Encodable {
    public var total: UInt64
    public var available: UInt64
    /// The control group's limit, or nil for none.
    public var limit: UInt64?

    public init(total: UInt64, available: UInt64, limit: UInt64?) {
      self.total = total
      self.available = available
      self.limit = limit
    }
  }

  public var cpu: CPU
  public var memory: Memory
  /// "Debian GNU/Linux 12 (bookworm)"
  public var system: String
  public var kernel: String
  /// "x86_64", "aarch64"
  public var architecture: String

  public init(cpu: CPU, memory: Memory, system: String, kernel: String, architecture: String) {
    self.cpu = cpu
    self.memory = memory
    self.system = system
    self.kernel = kernel
    self.architecture = architecture
  }
}

extension DeviceFacts {
  /// Reads the facts below `root`, "/" but for tests. What cannot be read is 0, empty or nil: a fact that is missing is
  /// no reason not to start.
  public static func read(root: String = "/") -> DeviceFacts {
    let files = FactFiles(root: root)
    let info = files.text("proc/cpuinfo") ?? ""
    let meminfo = MemoryInfo(files.text("proc/meminfo") ?? "")
    let groups = ControlGroups(files.text("proc/self/cgroup") ?? "")
    let share = ProcessorShare.read(files, groups)
    return DeviceFacts(
      cpu: CPU(
        model: CPUInfo.model(info) ?? files.line("proc/device-tree/model") ?? "unknown",
        processors: CPUInfo.processors(info),
        allowed: share.allowed,
        quota: share.quota),
      memory: Memory(
        total: meminfo.total, available: MemoryRoom(meminfo, groups, files)?.available ?? 0,
        limit: groups.memoryLimit(files).flatMap { $0 < meminfo.total || meminfo.total == 0 ? $0 : nil }),
      system: OSRelease.prettyName(files.text("etc/os-release") ?? "") ?? "Linux",
      kernel: files.line("proc/sys/kernel/osrelease") ?? "unknown",
      architecture: Self.architecture)
  }

  static var architecture: String {
    #if arch(x86_64)
      "x86_64"
    #elseif arch(arm64)
      "aarch64"
    #else
      "other"
    #endif
  }
}
