// SPDX-License-Identifier: Apache-2.0
/// The instructions of a processor that multiply 8-bit integers in dot products: what makes quantized models quick.
package struct Int8Hardware: Sendable, Equatable, Encodable {
  /// The flags of /proc/cpuinfo, in the kernel's spelling, and what people call them.
  private static let known = [
    ("avx512_vnni", "AVX-512 VNNI"), ("avx_vnni", "AVX-VNNI"), ("asimddp", "NEON dotprod"), ("i8mm", "NEON i8mm"),
  ]

  static var names: String { known.map(\.1).joined(separator: ", ") }

  /// "AVX-512 VNNI"; empty where there are none.
  package var instructions: [String]

  /// Whether the processor multiplies 16 and more small integers at once without them: AVX2, NEON.
  package var isWide: Bool

  package var isPresent: Bool { !instructions.isEmpty }

  package init(instructions: [String], isWide: Bool = false) {
    self.instructions = instructions
    self.isWide = isWide
  }

  /// - Parameter text: /proc/cpuinfo. The first processor stands for all, as everywhere here.
  init(cpuInfo text: String) {
    // "flags" on x86, "Features" on ARM.
    let line = text.split(separator: "\n").first { $0.hasPrefix("flags") || $0.hasPrefix("Features") }
    let flags = Set((line?.halves(at: ":")?.value ?? "").split(separator: " ").map(String.init))
    self.init(
      instructions: Self.known.filter { flags.contains($0.0) }.map(\.1),
      isWide: flags.contains("avx2") || flags.contains("asimd"))
  }

  /// Reads the facts below `root`, "/" but for tests.
  package static func read(root: String = "/") -> Int8Hardware {
    Int8Hardware(cpuInfo: FactFiles(root: root).text("proc/cpuinfo") ?? "")
  }
}
