// SPDX-License-Identifier: Apache-2.0
/// Recent signals of mood and activity: a table with a column for each signal and a row for each observation.
///
/// A signal is how much a word fits, from 0 (not at all) to 3 (very much). Which words are known is
/// `StressClassifier.signals`; columns of other names are left out, and the assessment says so. Any value may be
/// missing. Names are compared without regard to case, and `wide awake`, `wide-awake` and `wide.awake` are
/// `wide_awake`.
public struct StressSignals: Sendable, Equatable {
  /// What was observed of one signal.
  struct Column: Sendable, Equatable {
    var count = 0
    var sum = 0.0
    var lowest = Double.infinity
    var highest = -Double.infinity
    /// The first observation, counted from 1, that is there and is no number.
    var notANumber: Int?
  }

  /// A cell of the table.
  enum Cell { case missing, number(Double), other }

  /// More is not recent: one observation in five minutes for three days and a half.
  static let maximumObservations = 1024
  static let maximumColumns = 256
  static let maximumNameBytes = 64
  static let maximumBytes = 256 << 10

  /// By name.
  private(set) var columns: [String: Column] = [:]
  /// Rows of the table.
  public private(set) var observations = 0

  init() {}

  /// One observation.
  /// - Throws: `ClassifierError.invalidInput` for a signal given twice or more than 256 of them.
  public init(_ values: [String: Double]) throws(ClassifierError) {
    try self.init(observations: [values])
  }

  /// Observations in any order; what one does not name is missing.
  /// - Throws: `ClassifierError.invalidInput` for a signal that an observation gives twice, more than 256 signals or
  ///   more than 1024 observations.
  public init(observations: [[String: Double]]) throws(ClassifierError) {
    self.init()
    for values in observations {
      // Sorted, so that sums do not depend on the order of a dictionary.
      try add(values.sorted { $0.key < $1.key }.map { ($0.key, .number($0.value)) })
    }
  }

  /// A table of either kind: JSON where it begins with `{` or `[`, else CSV.
  /// - Throws: `ClassifierError.invalidInput`.
  public init(_ bytes: [UInt8]) throws(ClassifierError) {
    let first = bytes.first { !$0.isSpace }
    if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
      try self.init(json: bytes)
    } else {
      try self.init(csv: bytes)
    }
  }

  /// Adds a row.
  mutating func add(_ cells: [(name: String, cell: Cell)]) throws(ClassifierError) {
    guard observations < Self.maximumObservations else {
      throw .invalidInput("more than \(Self.maximumObservations) observations; give the recent ones")
    }
    observations += 1
    var names: Set<String> = []
    for (name, cell) in cells {
      let name = Self.canonical(name)
      guard names.insert(name).inserted else {
        throw .invalidInput("observation \(observations) gives a signal twice")
      }
      guard name.utf8.count <= Self.maximumNameBytes else {
        throw .invalidInput("a name is longer than \(Self.maximumNameBytes) bytes")
      }
      columns[name, default: Column()].add(cell, observation: observations)
    }
    guard columns.count <= Self.maximumColumns else {
      throw .invalidInput("more than \(Self.maximumColumns) different signals")
    }
  }

  /// The form in which names are compared.
  static func canonical(_ name: String) -> String {
    let separators = " .-".utf8
    return String(
      decoding: name.utf8.trimmed.map { byte in
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
        case _ where separators.contains(byte): UInt8(ascii: "_")
        default: byte
        }
      }, as: UTF8.self)
  }
}

extension StressSignals.Column {
  fileprivate mutating func add(_ cell: StressSignals.Cell, observation: Int) {
    switch cell {
    case .number(let value) where !value.isNaN:
      count += 1
      sum += value
      lowest = min(lowest, value)
      highest = max(highest, value)
    case .missing: break
    case .number, .other: notANumber = notANumber ?? observation
    }
  }
}

extension StressSignals.Cell {
  /// A number in decimal notation.
  init(digits text: [UInt8]) {
    let allowed = text.allSatisfy { (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0) }
    guard allowed, let value = Double(String(decoding: text, as: UTF8.self)) else {
      self = .other
      return
    }
    self = .number(value)
  }
}

extension UInt8 {
  /// A space, tab, line feed or carriage return.
  var isSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }
}

extension BidirectionalCollection<UInt8> {
  /// Without white space at the ends.
  var trimmed: SubSequence {
    guard let first = firstIndex(where: { !$0.isSpace }), let last = lastIndex(where: { !$0.isSpace }) else {
      return self[startIndex..<startIndex]
    }
    return self[first...last]
  }
}
