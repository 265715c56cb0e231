// SPDX-License-Identifier: Apache-2.0
/// What a prediction cache did since it was opened, and what it holds.
package struct CacheStatistics: Sendable, Equatable, Codable {
  package internal(set) var hits = 0
  package internal(set) var misses = 0
  /// Entries that went because others needed the room.
  package internal(set) var evictions = 0
  /// Entries that went because of their age.
  package internal(set) var expirations = 0
  /// Entries that could not be written to the file; they are in memory alone.
  package internal(set) var unwritten = 0
  package internal(set) var entries = 0
  /// Of memory, estimated.
  package internal(set) var bytes = 0
  package internal(set) var capacity = 0

  package init() {}

  /// Hits of all lookups, from 0 to 1; 0 before the first.
  package var hitRate: Double {
    let lookups = hits + misses
    return lookups == 0 ? 0 : Double(hits) / Double(lookups)
  }
}
