// SPDX-License-Identifier: Apache-2.0
#if canImport(Glibc)
  import CPetKernels
  import Glibc
  import Testing

  /// Memory whose last byte is followed by a page that may not be touched, as at the end of a mapped file.
  final class GuardedBytes {
    private let start: UnsafeMutableRawPointer
    private let length: Int
    let bytes: UnsafeMutableRawPointer

    init(_ content: UnsafeRawBufferPointer) throws {
      let page = Int(sysconf(Int32(_SC_PAGESIZE)))
      let room = (content.count + page - 1) / page * page
      length = room + page
      let map = try #require(mmap(nil, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
      try #require(map != MAP_FAILED)
      start = map
      try #require(mprotect(map + room, page, PROT_NONE) == 0)
      bytes = map + room - content.count
      bytes.copyMemory(from: content.baseAddress ?? UnsafeRawPointer(map), byteCount: content.count)
    }

    deinit { munmap(start, length) }
  }

  @Suite struct MatmulBoundsTests {
    /// A read past the end of any operand, or a write past the output, ends the process.
    @Test(arguments: allVariants, quantizedTypes + floatTypes)
    func nothingPastTheOperandsIsTouched(variant: pk_variant, type: pk_type) throws {
      var random = SeededGenerator(41)
      let k = try kernels(variant)
      for columns in MatmulTests.columns(type) {
        for (rows, tokens) in [(1, 1), (3, 2), (8, 1), (16, 1), (17, 5), (33, 33)] {
          let weights = random.weights(type, rows: rows, columns: columns)
          let x = try Activations(random.floats(tokens * columns), rows: tokens, columns: columns)
          let w = try weights.withUnsafeBytes(GuardedBytes.init)
          let values = try x.values.withUnsafeBytes(GuardedBytes.init)
          let quants = try x.quants.withUnsafeBytes(GuardedBytes.init)
          let scales = try x.scales.withUnsafeBytes(GuardedBytes.init)
          let sums = try x.sums.withUnsafeBytes(GuardedBytes.init)
          let zeros = [Float](repeating: 0, count: rows * tokens)
          let out = try zeros.withUnsafeBytes(GuardedBytes.init)
          let to = out.bytes.assumingMemoryBound(to: Float.self)
          var activations = pk_activations(
            rows: tokens, columns: columns, values: values.bytes.assumingMemoryBound(to: Float.self),
            quants: quants.bytes.assumingMemoryBound(to: Int8.self),
            scales: scales.bytes.assumingMemoryBound(to: Float.self),
            sums: sums.bytes.assumingMemoryBound(to: Int16.self))
          var matrix = pk_weights(
            type: type, layout: PK_ROW_MAJOR, bytes: w.bytes, row_bytes: rowBytes(type, columns: columns), rows: rows)
          k.matmul(&matrix, &activations, to, rows)
          let expected = try product(variant, type, weights, rows: rows, x)
          #expect(firstDifference(Array(UnsafeBufferPointer(start: to, count: rows * tokens)), expected) == nil)

          let groups = try interleaved(variant, type, weights, rows: rows, columns: columns)
            .withUnsafeBytes(GuardedBytes.init)
          matrix.layout = PK_INTERLEAVED
          matrix.bytes = UnsafeRawPointer(groups.bytes)
          k.matmul(&matrix, &activations, to, rows)
        }
      }
    }
  }
#endif
