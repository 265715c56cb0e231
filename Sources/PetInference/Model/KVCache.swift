import CPetKernels

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Keys and values of one sequence, for every layer, and the tokens that they stand for.
///
/// Memory is reserved for the whole capacity and becomes resident as positions are filled.
public final class KVCache {
  /// How keys and values are kept.
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

    /// Bytes of one head's key, or value, at one position.
    func rowBytes(headSize: Int) -> Int { pk_cached_row_bytes(kernelType, headSize) }

    /// Bytes of all keys and values at one position.
    func bytesPerPosition(_ configuration: ModelConfiguration) -> Int {
      2 * configuration.layerCount * configuration.keyValueHeadCount * rowBytes(headSize: configuration.headSize)
    }
  }

  /// Positions that there is memory for: whole groups.
  private static func room(_ capacity: Int) -> Int {
    let group = Int(PK_GROUP_ROWS)
    return (capacity + group - 1) / group * group
  }

  /// Bytes of a cache.
  static func byteCount(_ configuration: ModelConfiguration, capacity: Int, precision: Precision) -> Int {
    room(capacity) * precision.bytesPerPosition(configuration)
  }

  public let capacity: Int
  public let precision: Precision
  /// The tokens whose keys and values are cached: what a new prompt is compared with.
  public private(set) var tokens: [Int32] = []
  /// The rotary regime that the cached keys were turned with.
  private(set) var regime = RotaryEmbedding.Regime.short
  /// `AdapterWeights.identity` of the adapter that the cached keys and values were computed with; 0: none.
  var adapter: UInt64 = 0

  public var count: Int { tokens.count }

  /// Bytes of all keys and values at one position: what the attention of a token reads per token it sees.
  public let bytesPerPosition: Int

  /// Bytes of one head's key, or value, at one position: the distance to the next position.
  let rowBytes: Int
  private let headSize: Int
  private let headCount: Int
  private let room: Int
  private let memory: UnsafeMutableRawPointer

  /// - Throws: `InferenceError.notEnoughMemory` where the system refuses to reserve as much.
  public init(
    _ configuration: ModelConfiguration, capacity: Int, precision: Precision = .f16
  ) throws(InferenceError) {
    self.capacity = capacity
    self.precision = precision
    headSize = configuration.headSize
    rowBytes = precision.rowBytes(headSize: headSize)
    headCount = configuration.keyValueHeadCount
    // [layer][key or value][head][position][element], keys in groups of positions: attention reads one head in a row.
    room = Self.room(capacity)
    bytesPerPosition = precision.bytesPerPosition(configuration)
    memory = try allocate(byteCount: max(64, room * bytesPerPosition), alignment: 64)
    tokens.reserveCapacity(capacity)
  }

  deinit { free(memory) }

  /// Forgets every position from `count` on. O(1).
  public func truncate(to count: Int) {
    if count < tokens.count { tokens.removeLast(tokens.count - count) }
  }

  /// How many tokens of `prompt` are cached from the start.
  public func commonPrefix(with prompt: [Int32]) -> Int {
    zip(tokens, prompt).prefix { $0 == $1 }.count
  }

  /// Keys of one head in groups of positions, as `attend` reads them.
  func keys(_ layer: Int, head: Int) -> UnsafeMutableRawPointer {
    memory + (2 * layer * headCount + head) * room * rowBytes
  }

  func values(_ layer: Int, head: Int) -> UnsafeMutableRawPointer {
    memory + ((2 * layer + 1) * headCount + head) * room * rowBytes
  }

  /// Writes the key and the value of one head at one position.
  func store(
    key: UnsafePointer<Float>, value: UnsafePointer<Float>, layer: Int, head: Int, position: Int,
    with kernels: UnsafePointer<pk_kernels>
  ) {
    kernels.pointee.store_key(key, precision.kernelType, headSize, position, keys(layer, head: head))
    let row = values(layer, head: head) + position * rowBytes
    kernels.pointee.store_value(value, precision.kernelType, headSize, row)
  }

  func append(_ new: UnsafeBufferPointer<Int32>, regime: RotaryEmbedding.Regime) {
    tokens.append(contentsOf: new)
    self.regime = regime
  }
}
