// SPDX-License-Identifier: Apache-2.0
import CPetKernels

/// Pages of files that are mapped and never written: they count as resident once they were touched, can go at any time, and come again
/// when they are touched, from the system's cache in some tenths of a microsecond each.
package enum MappedPages {
  /// Those of the program's code and its libraries': most of what a start touches is never needed again.
  package static func letGoProgram() { pk_let_go_program() }

  /// From now on those of the program's code and its libraries are read from their files one by one.
  package static func readProgramSparsely() { pk_read_program_sparsely() }

  /// Those of the models that are part of the program.
  package static func letGoBuiltInModels() {
    for name in BuiltInFiles.names { if let bytes = BuiltInFiles.bytes(named: name) { letGo(bytes) } }
  }

  /// From now on these are read from their file one by one.
  package static func readSparsely(_ bytes: UnsafeRawBufferPointer) { pk_read_sparsely(bytes.baseAddress, bytes.count) }

  package static func letGo(_ bytes: UnsafeRawBufferPointer) { pk_let_go(bytes.baseAddress, bytes.count) }
}
