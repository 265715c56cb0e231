// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// What a catalog that comes from outside says of itself.
package struct CatalogPublication: Sendable, Equatable, Codable {
  /// In the form of a model's name.
  package let name: String
  /// Grows with every version; a lower one never takes the place of a higher.
  package let serial: UInt64
  /// Instants of ISO 8601 in UTC, such as 2027-01-31T00:00:00Z, between which it counts; nil: always.
  package let notBefore: Date?
  package let notAfter: Date?

  enum CodingKeys: String, CodingKey {
    case name, serial
    case notBefore = "not_before"
    case notAfter = "not_after"
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    func date(_ key: CodingKeys) throws -> Date? {
      guard let text = try container.decodeIfPresent(String.self, forKey: key) else { return nil }
      guard let date = try? Date(text, strategy: .iso8601) else {
        throw DecodingError.dataCorruptedError(
          forKey: key, in: container, debugDescription: "'\(text)' is no instant like 2027-01-31T00:00:00Z")
      }
      return date
    }
    name = try container.decode(String.self, forKey: .name)
    serial = try container.decode(UInt64.self, forKey: .serial)
    notBefore = try date(.notBefore)
    notAfter = try date(.notAfter)
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encode(serial, forKey: .serial)
    try container.encodeIfPresent(notBefore?.formatted(.iso8601), forKey: .notBefore)
    try container.encodeIfPresent(notAfter?.formatted(.iso8601), forKey: .notAfter)
  }
}
