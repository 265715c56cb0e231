// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// The reservations of the memory budget.
final class MemoryLedger: Sendable {
  struct Totals: Sendable, Equatable {
    /// Bytes promised, or taken already.
    var reserved: UInt64 = 0
    /// The part that is not yet taken: its owner is still loading.
    var promised: UInt64 = 0
  }

  private let state = Mutex(Totals())

  var totals: Totals { state.withLock { $0 } }

  /// Reserves `bytes` where `decide`, given the totals, allows it; atomic.
  func reserve(_ bytes: UInt64, if decide: (Totals) -> Bool) -> MemoryReservation? {
    let isGranted = state.withLock { totals in
      guard decide(totals) else { return false }
      totals.reserved = totals.reserved.saturatingAdd(bytes)
      totals.promised = totals.promised.saturatingAdd(bytes)
      return true
    }
    return isGranted ? MemoryReservation(bytes, self) : nil
  }

  fileprivate func take(_ bytes: UInt64) {
    state.withLock { $0.promised = $0.promised.saturatingSubtract(bytes) }
  }

  fileprivate func giveBack(_ bytes: UInt64, isTaken: Bool) {
    state.withLock { totals in
      totals.reserved = totals.reserved.saturatingSubtract(bytes)
      if !isTaken { totals.promised = totals.promised.saturatingSubtract(bytes) }
    }
  }
}

/// A reserved part of the budget, returned when this is released.
final class MemoryReservation: Sendable {
  let bytes: UInt64
  private let ledger: MemoryLedger
  private let isTaken = Mutex(false)

  fileprivate init(_ bytes: UInt64, _ ledger: MemoryLedger) {
    self.bytes = bytes
    self.ledger = ledger
  }

  deinit { ledger.giveBack(bytes, isTaken: isTaken.withLock { $0 }) }

  /// The memory is in use now, so what the system says is free no longer holds it.
  func markTaken() {
    let isFirst = isTaken.withLock { taken in
      defer { taken = true }
      return !taken
    }
    if isFirst { ledger.take(bytes) }
  }
}

extension UInt64 {
  func saturatingAdd(_ other: UInt64) -> UInt64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }

  func saturatingSubtract(_ other: UInt64) -> UInt64 { self > other ? self - other : 0 }
}
