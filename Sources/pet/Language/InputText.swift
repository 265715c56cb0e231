// SPDX-License-Identifier: Apache-2.0
import PetCommandLine

/// Text that came as bytes. A byte order mark is no part of it; bytes that are not UTF-8 are read as U+FFFD, which is told.
enum InputText {
  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  static func withoutMark(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    bytes.starts(with: byteOrderMark) ? bytes.dropFirst(byteOrderMark.count) : bytes
  }

  /// Tells where not all of it is UTF-8.
  /// - Returns: whether that was told.
  @discardableResult
  static func check(_ bytes: some Collection<UInt8>, of place: String) -> Bool {
    guard String(validating: bytes, as: UTF8.self) == nil else { return false }
    Output.error.tell("pet: \(place): not all of it is UTF-8; what is not is read as U+FFFD")
    return true
  }

  /// - Parameter isTold: whether a person knows already; set when they are told.
  static func decode(_ bytes: ArraySlice<UInt8>, isTold: inout Bool) -> String {
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    if !isTold {
      Output.error.tell("pet: standard input: not all of it is UTF-8; what is not is read as U+FFFD")
      isTold = true
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
