// SPDX-License-Identifier: Apache-2.0
/// Whether memory may be written to a disk.
package struct SwapFacts: Sendable, Equatable {
  /// Bytes of swap of the machine.
  package var total: UInt64
  /// Bytes of it that the control group may use; nil: no limit.
  package var limit: UInt64?

  package init(total: UInt64, limit: UInt64? = nil) {
    self.total = total
    self.limit = limit
  }

  /// Reads below `root`, "/" but for tests.
  package static func read(root: String = "/") -> SwapFacts {
    let files = FactFiles(root: root)
    var facts = SwapFacts(total: 0)
    for (key, bytes) in KilobyteLines(files.text("proc/meminfo") ?? "") where key == "SwapTotal" { facts.total = bytes }
    let groups = ControlGroups(files.text("proc/self/cgroup") ?? "")
    facts.limit = groups.unifiedFolders.compactMap { files.line("\($0)/memory.swap.max").flatMap { UInt64($0) } }.min()
    return facts
  }

  package var isPossible: Bool { total > 0 && limit != 0 }

  /// Locked is the main heap, where most words are; not the heaps of threads and what was computed from words, which may be larger than any
  /// limit. So where there is swap it is never said to be certain.
  package func evidence(_ sandbox: SandboxFacts) -> PrivacyVerification.Evidence {
    let locked =
      "there is swap; \(sandbox.lockedHeapBytes >> 10) of \(sandbox.heapBytes >> 10) KB of the main heap are locked, the rest is not"
    return PrivacyVerification.Evidence(
      claim: "no word is swapped to a disk", holds: !isPossible,
      basis: total == 0
        ? "the machine has no swap" : limit == 0 ? "the control group may use no swap" : locked)
  }
}
