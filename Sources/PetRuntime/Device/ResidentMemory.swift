// SPDX-License-Identifier: Apache-2.0
/// Bytes of this process that lie in memory, pages of mapped files included (proc(5), /proc/self/status).
public struct ResidentMemory: Sendable, Equatable {
  /// Now; 0 where the system does not say.
  public var current: UInt64 = 0
  /// The most there ever was. Not `ru_maxrss`: that begins with what the process was before it became this program.
  public var peak: UInt64 = 0

  public static func read(root: String = "/") -> ResidentMemory {
    ResidentMemory(FactFiles(root: root).text("proc/self/status") ?? "")
  }

  init(_ text: String) {
    for (key, bytes) in KilobyteLines(text) {
      switch key {
      case "VmRSS": current = bytes
      case "VmHWM": peak = bytes
      default: break
      }
    }
  }
}
