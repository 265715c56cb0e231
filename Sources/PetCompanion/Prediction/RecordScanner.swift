// SPDX-License-Identifier: Apache-2.0
/// Finds the sound records among bytes that come in pieces, whatever lies between them: a record that is damaged costs only itself.
package struct RecordScanner {
  /// Bytes that belong to no record.
  package private(set) var damagedBytes = 0
  /// Bytes that may be hashed in vain, so that a file made of false beginnings cannot take forever.
  private var patience: Int

  /// - Parameter size: of all bytes to come.
  package init(size: Int) {
    let (patience, overflow) = max(0, size).multipliedReportingOverflow(by: 4)
    self.patience = overflow ? .max : patience
  }

  /// Hands each sound record to `found`.
  /// - Parameter isEnd: whether no bytes follow these.
  /// - Returns: how many bytes are done with; the next piece begins with the others, which are fewer than the longest record.
  package mutating func scan(_ bytes: UnsafeRawBufferPointer, isEnd: Bool, _ found: (UnsafeRawBufferPointer) -> Void)
    -> Int
  {
    var place = 0
    while place < bytes.count {
      guard patience > 0 else {
        damagedBytes += bytes.count - place
        return bytes.count
      }
      let rest = UnsafeRawBufferPointer(rebasing: bytes[place...])
      if rest[0] == PredictionRecord.marker[0] {
        if !isEnd, rest.count < PredictionRecord.headSize { return place }
        if let body = PredictionRecord.bodyLength(rest) {
          let size = PredictionRecord.headSize + body
          if size <= rest.count {
            let record = UnsafeRawBufferPointer(rebasing: rest[..<size])
            if PredictionRecord.isSound(record) {
              found(record)
              place += size
              continue
            }
            patience -= size
          } else if !isEnd {
            return place
          }
        }
      }
      place += 1
      damagedBytes += 1
    }
    return place
  }
}
