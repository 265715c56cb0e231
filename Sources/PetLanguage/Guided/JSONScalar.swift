// SPDX-License-Identifier: Apache-2.0
/// A type of which every JSON decoder knows what it looks like.
protocol JSONScalar {
  static var jsonSchema: GenerationSchema { get }

  init()

  /// A value that no enum is likely to have.
  static var unlikely: Self { get }
}

extension Bool: JSONScalar {
  static var jsonSchema: GenerationSchema { .boolean }
  static var unlikely: Bool { true }
}

extension String: JSONScalar {
  static var jsonSchema: GenerationSchema { .string() }
  static var unlikely: String { "\u{FFFD}" }
}

extension Double: JSONScalar {
  static var jsonSchema: GenerationSchema { .number() }
  static var unlikely: Double { .greatestFiniteMagnitude }
}

extension Float: JSONScalar {
  /// Up to where it has every whole number: the more digits before the point, the fewer a grammar leaves behind it.
  static var jsonSchema: GenerationSchema { .number(in: -16_777_216...16_777_216) }
  static var unlikely: Float { .greatestFiniteMagnitude }
}

extension JSONScalar where Self: FixedWidthInteger {
  static var jsonSchema: GenerationSchema {
    GenerationSchema(json: #"{"type":"integer","minimum":\#(min),"maximum":\#(max)}"#)
  }

  static var unlikely: Self { max }
}

extension Int: JSONScalar {}
extension Int8: JSONScalar {}
extension Int16: JSONScalar {}
extension Int32: JSONScalar {}
extension Int64: JSONScalar {}
extension UInt: JSONScalar {}
extension UInt8: JSONScalar {}
extension UInt16: JSONScalar {}
extension UInt32: JSONScalar {}
extension UInt64: JSONScalar {}
