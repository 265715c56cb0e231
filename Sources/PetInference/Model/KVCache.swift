import CPetKernels

/// Keys and values of one sequence, for every layer, and the tokens that they stand for.
///
/// Memory is reserved for the whole capacity and becomes resident as positions are filled.
public final class KVCache {
  public enum Precision: Sendable {
    case f16, f32
    var kernelType: pk_type { self == .f16 ? PK_F16 : PK_F32 }
    var elementBytes: Int { self == .f16 ? 2 : 4 }
  }

  public let capacity: Int
  public let precision: Precision
  /// The tokens whose keys and values are cached: what a new prompt is compared with.
  public private(set) var tokens: [Int32] = []
  /// The rotary regime that the cached keys were turned with.
  private(set) var regime = RotaryEmbedding.Regime.short

  public var count: Int { tokens.count }

  /// Bytes from one position to the next.
  let rowBytes: Int
  private let layerBytes: Int
  private let memory: UnsafeMutableRawPointer
  private let layerCount: Int

  public init(_ configuration: ModelConfiguration, capacity: Int, precision: Precision = .f16) {
    self.capacity = capacity
    self.precision = precision
    rowBytes = configuration.keyValueWidth * precision.elementBytes
    // [layer][key or value][position][key-value head][element]
    layerBytes = capacity * rowBytes
    layerCount = configuration.layerCount
    memory = .allocate(byteCount: max(64, 2 * layerCount * layerBytes), alignment: 64)
    tokens.reserveCapacity(capacity)
  }

  deinit { memory.deallocate() }

  /// Forgets every position from `count` on. O(1).
  public func truncate(to count: Int) {
    if count < tokens.count { tokens.removeLast(tokens.count - count) }
  }

  /// How many tokens of `prompt` are cached from the start.
  public func commonPrefix(with prompt: [Int32]) -> Int {
    zip(tokens, prompt).prefix { $0 == $1 }.count
  }

  func keys(_ layer: Int) -> UnsafeMutableRawPointer { memory + 2 * layer * layerBytes }
  func values(_ layer: Int) -> UnsafeMutableRawPointer { memory + (2 * layer + 1) * layerBytes }

  func append(_ new: UnsafeBufferPointer<Int32>, regime: RotaryEmbedding.Regime) {
    tokens.append(contentsOf: new)
    self.regime = regime
  }
}
