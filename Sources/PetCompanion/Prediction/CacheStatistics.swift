// SPDX-License-Identifier: Apache-2.0
/// What a prediction cache did since it was opened, and what it holds.
public struct CacheStatistics: Sendable, Equatable, Codable {
  public internal(set) var hits = 0
  public internal(set) var misses = 0
  /// Entries that went because others needed the room.
  public internal(set) var evictions = 0
  /// Entries that went because of their age.
  public internal(set) var expirations = 0
  /// Entries that could not be written to the file; they are in memory alone.
  public internal(set) var unwritten = 0
  public internal(set) var entries = 0
  /// Of memory, estimated.
  public internal(set) var bytes = 0
  public internal(set) var capacity = 0

  public init() {}

  /// Hits of all lookups, from 0 to 1; 0 before the first.
  public var hitRate: Double {
    let lookups = hits + misses
    return lookups == 0 ? 0 : Double(hits) / Double(lookups)
  }
}
