// SPDX-License-Identifier: Apache-2.0
import CPetKernels

package enum HeapMemory {
  /// For programs that run for weeks, before their first thread: the allocator otherwise learns from the first large block that is freed to
  /// keep the next ones, and has a part of the heap for each thread, where what is free serves no other.
  package static func staySmall() { pk_save_heap() }

  /// Returns to the system what was freed: the allocator keeps it for later otherwise, and a model's tables are many small
  /// pieces.
  package static func giveBack() { Sandbox.withUnlockedHeap { pk_trim_heap() } }
}
