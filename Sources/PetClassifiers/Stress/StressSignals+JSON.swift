// SPDX-License-Identifier: Apache-2.0
import PetJSON

extension StressSignals {
  /// An object of signals, `{"tired": 2, "happy": null}`, or an array of such objects, one for each observation.
  /// - Throws: `ClassifierError.invalidInput` for text that is no JSON or of another form, or too large.
  package init(json bytes: [UInt8]) throws(ClassifierError) {
    self.init()
    switch try Self.read(bytes) {
    case .object(let object): try add(object)
    case .array(let elements):
      for element in elements {
        guard let object = element.object else {
          throw .invalidInput("element \(observations + 1) is no object of signals")
        }
        try add(object)
      }
    default: throw .invalidInput("neither an object of signals nor an array of such objects")
    }
  }

  private static func read(_ bytes: [UInt8]) throws(ClassifierError) -> JSONValue {
    do {
      // Whatever is no signal may nest a little.
      return try JSONValue(parsing: bytes, limits: JSONLimits(bytes: maximumBytes, nesting: 8))
    } catch .tooLarge(let what, let limit) {
      throw .invalidInput("JSON with more than \(limit) \(what.rawValue)")
    } catch {
      throw .invalidInput("no JSON: \(error)")
    }
  }

  private mutating func add(_ object: JSONObject) throws(ClassifierError) {
    try add(
      object.members.map { key, value in
        let cell: Cell =
          switch value {
          case .null: .missing
          case .number(let digits): Cell(digits: digits)
          default: .other
          }
        return (String(decoding: key, as: UTF8.self), cell)
      })
  }
}
