import CPetKernels

enum HeapMemory {
  /// Returns to the system what was freed: the allocator keeps it for later otherwise, and a model's tables are many small
  /// pieces.
  static func giveBack() { pk_trim_heap() }
}
