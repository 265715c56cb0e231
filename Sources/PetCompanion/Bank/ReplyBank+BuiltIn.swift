// SPDX-License-Identifier: Apache-2.0
import CBuiltInBank
import PetRuntime

extension ReplyBank {
  /// The bank that is built in: `Models/bank-v3.bin`.
  package static let builtIn: ReplyBank = {
    var count = 0
    let start = built_in_bank(&count)
    // Part of the build, and a test reads the whole file: no other outcome is possible.
    guard let file = try? BankFile(UnsafeRawBufferPointer(start: start, count: count), isTrusted: true) else {
      preconditionFailure("Models/bank-v3.bin is damaged")
    }
    return ReplyBank(file, keeping: nil)
  }()

  /// Its memory goes until the next look-up, which then takes some tenths of a millisecond longer.
  package static func letGoBuiltIn() {
    var count = 0
    let start = built_in_bank(&count)
    MappedPages.letGo(UnsafeRawBufferPointer(start: start, count: count))
  }
}
