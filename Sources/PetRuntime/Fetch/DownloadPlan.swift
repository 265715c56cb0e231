// SPDX-License-Identifier: Apache-2.0
/// What to do about a part that an earlier download left behind.
package enum DownloadPlan: Equatable {
  /// From the first byte.
  case begin
  /// From the end of the part on.
  /// - Parameter validator: the server goes on only if the file is still the same.
  case resume(validator: String?)
  /// All of it is here.
  case verify

  /// - Parameters:
  ///   - part: bytes that are here.
  ///   - file: what is fetched.
  ///   - validator: by which the server named the file when the part was begun.
  package static func decide(part: UInt64, of file: CatalogFile, validator: String?) -> DownloadPlan {
    guard part > 0 else { return .begin }
    guard file.sha256 != nil else {
      // Two halves of different files would pass for one: nobody knows the hash. So the server must vouch for the rest.
      return validator == nil ? .begin : .resume(validator: validator)
    }
    if part > file.bytes { return .begin }
    return part == file.bytes ? .verify : .resume(validator: nil)
  }

  /// The strong entity tag of the last answer in a dump of headers; nil where there is none, or only a weak one.
  package static func validator(in headers: String) -> String? {
    var tag: String?
    for line in headers.split(whereSeparator: \.isNewline) {
      if line.hasPrefix("HTTP/") { tag = nil }
      guard let (name, value) = line.halves(at: ":"), name.lowercased() == "etag" else { continue }
      let isStrong = value.utf8.count > 2 && value.hasPrefix("\"") && value.hasSuffix("\"")
      tag = isStrong && value.utf8.count <= 256 && value.utf8.allSatisfy { (0x21...0x7E).contains($0) } ? value : nil
    }
    return tag
  }
}
