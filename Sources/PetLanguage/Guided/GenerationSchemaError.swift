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
    /// A nested ``Generable`` that cannot be decoded from 0, "" and empty arrays: its schema is good, but what is around it cannot
    /// be seen.
    case rejectsBlanks
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
      case .mixedElements: "is an array of a fixed form"
      case .rejectsValues: "refuses values that its schema would allow; make an enum CaseIterable"
      case .rejectsBlanks: "cannot be decoded from 0, \"\" and empty arrays"
      case .notJSON: "has no form of its own in JSON"
      }
    let place = property.isEmpty ? type : "\(type).\(property)"
    let whose =
      if property.isEmpty {
        type
      } else if self.reason == .rejectsBlanks {
        "the type around it"
      } else {
        "its type, or the one around it,"
      }
    return "\(place) \(reason); give \(whose) a schema of its own (Generable)"
  }
}
