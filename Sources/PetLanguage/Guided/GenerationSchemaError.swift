// SPDX-License-Identifier: Apache-2.0
/// Why no schema can be derived from a type (``GenerationSchema/init(of:)``).
public struct GenerationSchemaError: Error, Equatable, CustomStringConvertible {
  public enum Reason: Sendable, Equatable {
    /// The property is decoded from a value of its own type: its schema would have no end.
    case recursive
    /// A dictionary, an enum with associated values, or another type that asks which keys there are.
    case openKeys
    /// An array whose elements are not all decoded as one type.
    case mixedElements
    /// It decodes none of the values that its schema would allow: an enum that is not `CaseIterable`, or a type that checks
    /// what it decodes.
    case rejectsValues
    /// `Data`, `Date`, `Decimal` or `URL`: each decoder of JSON reads them in a way of its own.
    case notJSON
  }

  /// The type that the schema is of.
  public let type: String
  /// The property, such as `places[].name`; empty: the type itself.
  public let property: String
  public let reason: Reason

  public var description: String {
    let reason =
      switch reason {
      case .recursive: "contains itself"
      case .openKeys: "has keys that its type does not name"
      case .mixedElements: "is an array whose elements are not of one type"
      case .rejectsValues: "refuses values that its schema would allow; make an enum CaseIterable"
      case .notJSON: "has no form of its own in JSON"
      }
    return "\(property.isEmpty ? type : "\(type).\(property)") \(reason); give \(type) a schema of its own (Generable)"
  }
}
