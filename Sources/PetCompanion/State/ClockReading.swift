// SPDX-License-Identifier: Apache-2.0
/// What a clock says since it was last looked at. Clocks are set, both ways.
package enum ClockReading: Sendable, Equatable {
  /// Seconds, from 0.
  case passed(Int64)
  /// It shows an earlier time than before, by this many seconds: nobody knows how much time passed, so none did.
  case setBack(Int64)

  package init(from earlier: Int64, to later: Int64) {
    let difference = Moment.seconds(from: earlier, to: later)
    self = difference >= 0 ? .passed(difference) : .setBack(difference == .min ? .max : -difference)
  }
}
