// SPDX-License-Identifier: Apache-2.0
/// Where files of Hugging Face are asked for.
package struct HubAddress: Sendable, Equatable {
  package static let standard = HubAddress(base: "https://huggingface.co", protocols: "https")

  /// Without a slash at the end.
  package let base: String
  /// Of curl: those that are allowed.
  package let protocols: String

  private init(base: String, protocols: String) {
    self.base = base
    self.protocols = protocols
  }

  /// A mirror: https, or http on this machine. nil for anything else.
  package init?(_ text: String) {
    var base = text[...]
    while base.hasSuffix("/") { base.removeLast() }
    let forbidden = Set(#"@?#"\{}"#.utf8)
    guard base.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !forbidden.contains($0) }) else { return nil }
    if base.hasPrefix("https://"), base.utf8.count > 8, !base.hasPrefix("https:///") {
      self.init(base: String(base), protocols: "https")
    } else if base.hasPrefix("http://"), Self.isHere(base.dropFirst(7)) {
      self.init(base: String(base), protocols: "http,https")
    } else {
      return nil
    }
  }

  /// Whether "host:port/path" is on this machine.
  private static func isHere(_ rest: Substring) -> Bool {
    let authority = rest.prefix { $0 != "/" }
    for host in ["127.0.0.1", "localhost", "[::1]"] where authority.hasPrefix(host) {
      let port = authority.dropFirst(host.count)
      if port.isEmpty || port.hasPrefix(":") && port.dropFirst().utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
        return true
      }
    }
    return false
  }

  /// The variable that names a mirror, as for Hugging Face's own programs.
  static let variable = "HF_ENDPOINT"

  static func read(_ environment: [String: String]) throws(FetchError) -> HubAddress {
    guard let value = environment[variable], !value.isEmpty else { return .standard }
    guard let address = HubAddress(value) else { throw .hubAddress(value) }
    return address
  }

  /// The parts of a source were checked to need no escaping.
  func address(of source: HuggingFaceSource) -> String {
    "\(base)/\(source.repository)/resolve/\(source.revision)/\(source.file)"
  }
}
