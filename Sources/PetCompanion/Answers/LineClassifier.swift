// SPDX-License-Identifier: Apache-2.0
import PetRuntime

/// A logistic regression on what ``AnswerReader`` makes of a line.
package struct LineClassifier: Sendable {
  /// Of each class what is added, and the weights.
  private let rows: [[Float]]

  /// Nil for a file that is none: little-endian floats, a row of ``AnswerReader/outputs`` and one more for each class.
  package init?(_ bytes: UnsafeRawBufferPointer, classes: Int) {
    let width = 1 + AnswerReader.outputCount
    guard bytes.count == classes * width * MemoryLayout<Float>.size else { return nil }
    let values = (0..<classes * width).map { place in
      Float(bitPattern: UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 4 * place, as: UInt32.self)))
    }
    guard values.allSatisfy(\.isFinite) else { return nil }
    rows = (0..<classes).map { Array(values[$0 * width..<($0 + 1) * width]) }
  }

  /// One of the program's files, each of which a test reads.
  package static func builtIn(_ name: String, classes: Int) -> LineClassifier {
    guard let bytes = BuiltInFiles.bytes(named: name), let classifier = LineClassifier(bytes, classes: classes) else {
      preconditionFailure("Models/\(name) cannot be read")
    }
    return classifier
  }

  /// Of each class; together 1. Nil where there is no memory to read the line.
  /// - Complexity: one pass of the reader, some milliseconds.
  package func likelihoods(of line: String) -> [Float]? {
    AnswerReader.standard.outputs(line).map { outputs in
      WordClassifier.softmax(rows.map { row in zip(row.dropFirst(), outputs).reduce(row[0]) { $0 + $1.0 * $1.1 } })
    }
  }
}
