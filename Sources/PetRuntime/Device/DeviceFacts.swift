// SPDX-License-Identifier: Apache-2.0
/// What this machine is, as far as it says.
package struct DeviceFacts: Sendable, Equatable, Encodable {
  package struct CPU: Sendable, Equatable, Encodable {
    package var model: String
    /// Logical processors of the machine.
    package var processors: Int
    /// Those this process may run on.
    package var allowed: Int
    /// Processors' worth of time that the control group grants, or nil for no limit.
    package var quota: Double?

    package init(model: String, processors: Int, allowed: Int, quota: Double?) {
      self.model = model
      self.processors = processors
      self.allowed = allowed
      self.quota = quota
    }
  }

  /// Bytes.
  package struct Memory: Sendable, Equatable, Encodable {
    package var total: UInt64
    package var available: UInt64
    /// The control group's limit, or nil for none.
    package var limit: UInt64?

    package init(total: UInt64, available: UInt64, limit: UInt64?) {
      self.total = total
      self.available = available
      self.limit = limit
    }
  }

  package var cpu: CPU
  package var memory: Memory
  /// "Debian GNU/Linux 12 (bookworm)"
  package var system: String
  package var kernel: String
  /// "x86_64", "aarch64"
  package var architecture: String

  package init(cpu: CPU, memory: Memory, system: String, kernel: String, architecture: String) {
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
  package static func read(root: String = "/") -> DeviceFacts {
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
