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
    for line in text.split(separator: "\n") {
      guard let (key, value) = line.halves(at: ":"), value.hasSuffix(" kB"),
        let kilobytes = UInt64(value.dropLast(3).trimmed), kilobytes < 1 << 50
      else { continue }
      switch key {
      case "VmRSS": current = kilobytes * 1024
      case "VmHWM": peak = kilobytes * 1024
      default: break
      }
    }
  }
}
