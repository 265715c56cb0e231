// SPDX-License-Identifier: Apache-2.0
/// A type of which every JSON decoder knows what it looks like.
protocol JSONScalar {
  static var jsonSchema: GenerationSchema { get }

  init()
}

extension Bool: JSONScalar { static var jsonSchema: GenerationSchema { .boolean } }
extension String: JSONScalar { static var jsonSchema: GenerationSchema { .string() } }
extension Double: JSONScalar { static var jsonSchema: GenerationSchema { .number() } }
extension Float: JSONScalar { static var jsonSchema: GenerationSchema { .number() } }

extension JSONScalar where Self: FixedWidthInteger {
  static var jsonSchema: GenerationSchema {
    GenerationSchema(json: #"{"type":"integer","minimum":\#(min),"maximum":\#(max)}"#)
  }
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
