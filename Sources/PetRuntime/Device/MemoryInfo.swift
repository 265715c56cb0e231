/// /proc/meminfo (proc(5)): "MemTotal:       24113560 kB".
struct MemoryInfo {
  /// Bytes; 0 when unknown.
  private(set) var total: UInt64 = 0
  /// What can be had without swapping, by the kernel's estimate.
  private(set) var available: UInt64 = 0

  init(_ text: String) {
    for line in text.split(separator: "\n") {
      guard let (key, value) = line.halves(at: ":"), value.hasSuffix(" kB"),
        let kilobytes = UInt64(value.dropLast(3).trimmed), kilobytes < 1 << 50
      else { continue }
      switch key {
      case "MemTotal": total = kilobytes * 1024
      case "MemAvailable": available = kilobytes * 1024
      default: break
      }
    }
  }
}
