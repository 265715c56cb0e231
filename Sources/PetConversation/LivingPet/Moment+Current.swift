// SPDX-License-Identifier: Apache-2.0
import Glibc
import PetCompanion

extension Moment {
  /// By the system's clock and its time zone.
  public static func current() -> Moment {
    var seconds = time(nil)
    var local = tm()
    guard localtime_r(&seconds, &local) != nil else { return Moment(seconds: Int64(seconds)) }
    return Moment(seconds: Int64(seconds), offset: local.tm_gmtoff)
  }
}
