// SPDX-License-Identifier: Apache-2.0
import PetFiles
import PetRuntime
import Synchronization

/// The prediction cache of a process: answers that were computed before, found in microseconds, kept over restarts in a file.
///
/// May be used from any thread. Lookups never wait for the file. `now` is in seconds since 1970.
package final class PredictionStore: Sendable {
  /// What an answer lives: 30 days, in seconds.
  package static let defaultTimeToLive: Int64 = 30 * 24 * 3600

  private let cache: Mutex<PredictionCache>
  /// Taken before `cache`, never while holding it.
  private let file: Mutex<PredictionFile?>

  /// - Parameters:
  ///   - capacity: bytes of memory; the file takes at most twice as many, and one entry.
  ///   - timeToLive: in seconds.
  ///   - path: of the file, in a folder that exists; nil: memory only. What is damaged in it is left out.
  ///   - seal: makes the file unreadable for others; a file that was not sealed so is begun anew. Nil: it is plain, mode 0600.
  /// - Throws: `FileError` where there cannot be such a file.
  /// - Complexity: O(bytes of the file).
  package init(
    capacity: Int, timeToLive: Int64 = defaultTimeToLive, path: String? = nil, seal: PredictionSeal? = nil, now: Int64
  ) throws(FileError) {
    var cache = PredictionCache(capacity: capacity, timeToLive: timeToLive)
    var file = path.map { PredictionFile(path: $0, cacheCapacity: capacity, seal: seal) }
    try file?.load(into: &cache, now: now)
    cache.forgetCounts()
    self.cache = Mutex(cache)
    self.file = Mutex(file)
  }

  /// For `/stats`.
  package var statistics: CacheStatistics { cache.withLock { $0.statistics } }

  /// The answer to the same request, if there was one. O(bytes of the answer).
  package func prediction(for key: PredictionKey, now: Int64) -> Prediction? {
    guard let payload = cache.withLock({ $0.payload(for: key, now: now) }) else { return nil }
    if let prediction = Prediction(encoded: payload) { return prediction }
    // Written by a program that knew other emotions or actions.
    cache.withLock { $0.refuse(key) }
    return nil
  }

  /// Keeps an answer that is whole: one that was cancelled or cut short by time must not be put here. An answer that cannot be
  /// written to the file is kept in memory alone (``CacheStatistics/unwritten``).
  package func put(_ prediction: Prediction, for key: PredictionKey, now: Int64) {
    let payload = prediction.encoded
    // Memory and file in one: what is erased in between would come back.
    file.withLock { file in
      guard cache.withLock({ $0.put(payload, for: key, now: now) }) else { return }
      let entry = PredictionCache.Entry(key: key, payload: payload, made: now)
      do {
        switch try file?.append(entry) {
        case .appended, nil: break
        case .appendedAfterForgetting:
          cache.withLock {
            $0.removeAll()
            $0.put(payload, for: key, now: now)
          }
        case .appendedBeyondLimit:
          let snapshot = cache.withLock { $0 }
          try file?.compact(adding: snapshot.entries(now: now), to: snapshot, now: now)
        }
      } catch {
        cache.withLock { $0.countUnwritten() }
      }
    }
  }

  /// Seals what is written from here on with another secret, for a store that is erased next: what is in the file stays as it is.
  package func reseal(_ seal: PredictionSeal) { file.withLock { $0?.seal = seal } }

  /// Forgets everything, in memory first; the file is overwritten, cut and removed.
  /// - Throws: `FileError`; the file may then still be there, and a person must be told.
  package func erase() throws(FileError) {
    let failure: FileError? = file.withLock { file in
      cache.withLock { $0.removeAll() }
      do throws(FileError) { try file?.erase() } catch { return error }
      return nil
    }
    if let failure { throw failure }
  }
}
