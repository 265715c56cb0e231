import CPetKernels

package enum HeapMemory {
  /// From now on blocks of 128 KiB and more are pages of their own, which go back when they are freed. Otherwise the allocator learns
  /// from the first large block that is freed to keep the next ones, and a program that runs for weeks never shrinks.
  package static func returnLargeBlocks() { pk_return_large_blocks() }

  /// Returns to the system what was freed: the allocator keeps it for later otherwise, and a model's tables are many small
  /// pieces.
  static func giveBack() { pk_trim_heap() }
}
