// SPDX-License-Identifier: Apache-2.0
import CPetKernels

/// Keys and values of one sequence, for every layer, and the tokens that they were computed from.
///
/// They are stored in blocks of positions that are allocated as the sequence grows and may be shared with other sequences.
public final class KVCache {
  /// The element type of keys and values.
  public enum Precision: String, Sendable, CaseIterable {
    case f32, f16
    /// Eight bits and a scale per 32 elements: about half of F16.
    case q8_0

    var kernelType: pk_type {
      switch self {
      case .f32: PK_F32
      case .f16: PK_F16
      case .q8_0: PK_Q8_0
      }
    }
  }

  package let capacity: Int
  /// The tokens whose keys and values are cached: what a new prompt is compared with.
  package private(set) var tokens: [Int32]
  package private(set) var origin = KVOrigin()
  package let pool: KVBlockPool
  private let layout: KVLayout
  /// Blocks for positions from 0 on; may hold one more than the tokens need.
  private(set) var blocks: [KVBlock]
  /// Addresses of the blocks, for the kernels.
  let table: UnsafeMutablePointer<UnsafeRawPointer?>
  /// Entries of `table` that are up to date.
  private var tabled = 0

  package var count: Int { tokens.count }
  package var precision: Precision { layout.precision }
  /// Bytes of all keys and values at one position: what attention reads per token in the context.
  public var bytesPerPosition: Int { layout.bytesPerPosition }

  /// The path of a file that blocks are mapped from and whose pages were lost; nil: all blocks are intact.
  package var lostFile: String? {
    for block in blocks { if let file = block.file, file.isLost { return file.path } }
    return nil
  }

  /// An empty cache with a block pool of its own.
  public convenience init(_ configuration: ModelConfiguration, capacity: Int, precision: Precision = .f16) {
    self.init(KVBlockPool(KVLayout(configuration, precision)), capacity: capacity)
  }

  /// - Parameter pool: common to all caches that share blocks.
  package convenience init(_ pool: KVBlockPool, capacity: Int) {
    self.init(pool, capacity: capacity, tokens: [], blocks: [])
  }

  private init(_ pool: KVBlockPool, capacity: Int, tokens: [Int32], blocks: [KVBlock]) {
    self.pool = pool
    layout = pool.layout
    self.capacity = max(0, capacity)
    self.tokens = tokens
    self.blocks = blocks
    table = .allocate(capacity: KVLayout.blocks(self.capacity) + 1)
  }

  deinit { table.deallocate() }

  /// Another sequence with the same past. O(1): the blocks are shared until one of the two writes into them.
  package func fork() -> KVCache {
    let copy = KVCache(pool, capacity: capacity, tokens: tokens, blocks: blocks)
    copy.origin = origin
    return copy
  }

  /// Drops every position from `count` on and releases the blocks that hold no other.
  package func truncate(to count: Int) {
    guard count < tokens.count else { return }
    tokens.removeLast(tokens.count - max(0, count))
    blocks.removeLast(max(0, blocks.count - KVLayout.blocks(tokens.count)))
    tabled = min(tabled, blocks.count)
  }

  /// How many tokens of `prompt` are cached from the start.
  package func commonPrefix(with prompt: [Int32]) -> Int {
    zip(tokens, prompt).prefix { $0 == $1 }.count
  }

  /// The cached sequence as a prefix that other caches can adopt.
  package var prefix: KVPrefix {
    KVPrefix(tokens: tokens, blocks: Array(blocks.prefix(KVLayout.blocks(count))), origin: origin)
  }

  /// Replaces the contents by a prefix. O(blocks).
  package func adopt(_ prefix: KVPrefix) {
    tokens = Array(prefix.tokens.prefix(capacity))
    blocks = Array(prefix.blocks.prefix(KVLayout.blocks(tokens.count)))
    origin = prefix.origin
    tabled = 0
  }

  /// Makes room for `new` positions after the cached ones, in blocks that are not shared.
  /// - Throws: `InferenceError.notEnoughMemory`, `.fileLost`; the cached positions are then unchanged.
  func reserve(_ new: Int) throws(InferenceError) {
    let first = count / KVLayout.blockPositions
    for index in first..<max(first, KVLayout.blocks(count + new)) {
      if index == blocks.count {
        blocks.append(try pool.make())
      } else if blocks[index].file != nil || !isKnownUniquelyReferenced(&blocks[index]) {
        blocks[index] = try pool.copy(blocks[index])
        tabled = min(tabled, index)
      }
    }
    for index in tabled..<blocks.count { table[index] = UnsafeRawPointer(blocks[index].memory) }
    tabled = blocks.count
  }

  /// One head's keys and values, as `attend` reads them.
  func head(_ layer: Int, _ head: Int) -> pk_cached_head {
    pk_cached_head(
      blocks: table, keys: layout.keys(layer, head: head), values: layout.values(layer, head: head),
      type: layout.precision.kernelType, head_size: layout.headSize)
  }

  /// Writes the key and the value of one head at one position, for which there is room.
  func store(
    key: UnsafePointer<Float>, value: UnsafePointer<Float>, layer: Int, head: Int, position: Int,
    with kernels: UnsafePointer<pk_kernels>
  ) {
    let (block, place) = position.quotientAndRemainder(dividingBy: KVLayout.blockPositions)
    guard let memory = UnsafeMutableRawPointer(mutating: table[block]) else { return }
    kernels.pointee.store_key(
      key, layout.precision.kernelType, layout.headSize, place, memory + layout.keys(layer, head: head))
    kernels.pointee.store_value(
      value, layout.precision.kernelType, layout.headSize,
      memory + layout.values(layer, head: head) + place * layout.rowBytes)
  }

  func append(_ new: UnsafeBufferPointer<Int32>, _ origin: KVOrigin) {
    tokens.append(contentsOf: new)
    self.origin = origin
  }
}
