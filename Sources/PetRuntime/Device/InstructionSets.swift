// SPDX-License-Identifier: Apache-2.0
import CPetKernels

/// Which kernels this processor can run.
package struct InstructionSets: Sendable, Equatable, Codable {
  /// Names of the kernel tables that are usable here, slowest first.
  package let usable: [String]
  /// The one that is used.
  package let chosen: String

  package static func current() -> InstructionSets {
    let usable = (0..<Int32(PK_VARIANT_COUNT)).compactMap { name(of: pk_kernels_for(pk_variant(rawValue: $0))) }
    return InstructionSets(usable: usable, chosen: name(of: pk_kernels_best()) ?? "none")
  }

  private static func name(of table: UnsafePointer<pk_kernels>?) -> String? {
    table?.pointee.name.map { String(cString: $0) }
  }
}
