// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// What the reader made of statements that it has read, so that each is read once. They are found by a hash: no word of them is kept here.
/// A pet has its own, and what it forgets goes from there too.
package final class StatementVectors: Sendable {
  /// More than a pet looks through at once. Where there are more, all are read anew.
  private static let most = 1024
  private let kept = Mutex<[Int: [Float]]>([:])
  private let isReadingAhead = Mutex(false)

  package init() {}

  /// The vector of a statement, read where it was not before; nil where there is no memory for it.
  func vector(of statement: String, read: (String) -> [Float]?) -> [Float]? {
    let place = statement.hashValue
    if let known = kept.withLock({ $0[place] }) { return known }
    guard let vector = read(statement) else { return nil }
    kept.withLock { kept in
      if kept.count >= Self.most { kept.removeAll() }
      kept[place] = vector
    }
    return vector
  }

  /// Those of some statements that were not read yet.
  func unread(of statements: [String]) -> [String] {
    kept.withLock { kept in statements.filter { kept[$0.hashValue] == nil } }
  }

  /// False where somebody reads ahead already; else ``endReadingAhead()`` is to follow.
  package func beginReadingAhead() -> Bool {
    isReadingAhead.withLock { isReading in
      defer { isReading = true }
      return !isReading
    }
  }

  package func endReadingAhead() { isReadingAhead.withLock { $0 = false } }

  package func removeAll() { kept.withLock { $0.removeAll() } }
}
