// SPDX-License-Identifier: Apache-2.0
/// Why a file is no reply bank that this build can read.
package enum BankError: Error, Sendable, Equatable {
  /// Shorter than its header, or than the sections that the header tells of.
  case truncated(expected: Int, found: Int)
  /// It does not begin with `PETBANK2`.
  case notABank
  case checksum(expected: UInt32, found: UInt32)
  /// A count of the header is out of its range.
  case count(name: String, value: Int)
  /// The exchange of this number has a field that means nothing, or a text that does not end.
  case exchange(Int)
  /// The table of words does not rise, or names a word that is not there.
  case words(entry: Int)
  /// The curve of scores does not rise from 0 to 1000 thousandths.
  case curve(knot: Int)
}
