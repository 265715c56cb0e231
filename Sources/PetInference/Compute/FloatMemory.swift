/// Vectors at addresses that stay.
final class FloatMemory: @unchecked Sendable {  // immutable after init
  private let memory: UnsafeMutablePointer<Float>
  private let offsets: [Int]

  init(_ vectors: [[Float]]) {
    offsets = vectors.reduce(into: [0]) { $0.append(($0.last ?? 0) + $1.count) }
    memory = .allocate(capacity: max(1, offsets.last ?? 0))
    for (vector, offset) in zip(vectors, offsets) { (memory + offset).initialize(from: vector, count: vector.count) }
  }

  deinit { memory.deallocate() }

  func vector(_ index: Int) -> UnsafePointer<Float> { UnsafePointer(memory + offsets[index]) }
}
