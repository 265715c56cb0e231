// SPDX-License-Identifier: Apache-2.0
import PetRuntime

/// Whether a line asks to have something forgotten, or never spoken of, in words that no rule reads: a logistic regression on what ``AnswerReader``
/// makes of the line, `Models/wishes-v2.bin`, made by `Training/train_wishes.py`.
package struct WishClassifier: Sendable {
  package struct Wish: Sendable, Equatable {
    package enum Kind: Sendable, Equatable { case forget, hush }

    package let kind: Kind
    /// Whether it is one also where nothing is found that it may mean.
    package let isSure: Bool

    package init(kind: Kind, isSure: Bool) { (self.kind, self.isSure) = (kind, isSure) }
  }

  /// How likely it must be, beside nothing of the kind, and to be sure: of 1,075 lines that people told of their lives eight are so likely, and three;
  /// of their 1,336 questions three, and two.
  static let (least, sure): (Float, Float) = (0.5, 0.7)
  /// Of nothing, to forget, to hush: what is added, and the weights.
  private let rows: [[Float]]

  /// Nil for a file that is none: little-endian floats, a row of ``AnswerReader/outputs`` and one more for each of three classes.
  package init?(_ bytes: UnsafeRawBufferPointer) {
    let width = 1 + AnswerReader.outputCount
    guard bytes.count == 3 * width * MemoryLayout<Float>.size else { return nil }
    let values = (0..<3 * width).map { place in
      Float(bitPattern: UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 4 * place, as: UInt32.self)))
    }
    guard values.allSatisfy(\.isFinite) else { return nil }
    rows = (0..<3).map { Array(values[$0 * width..<($0 + 1) * width]) }
  }

  /// The one that is built in, and read by a test.
  package static let standard: WishClassifier = {
    guard let bytes = BuiltInFiles.bytes(named: "wishes-v2.bin"), let classifier = WishClassifier(bytes) else {
      preconditionFailure("Models/wishes-v2.bin cannot be read")
    }
    return classifier
  }()

  /// Nil where nothing of the kind is asked for, or there is no memory to read the line.
  ///
  /// Complexity: one pass of the reader, some milliseconds.
  package func wish(in line: String) -> Wish? {
    guard let likelihoods = likelihoods(of: line), likelihoods[0] < 1 - Self.least else { return nil }
    return Wish(kind: likelihoods[1] >= likelihoods[2] ? .forget : .hush, isSure: likelihoods[0] < 1 - Self.sure)
  }

  /// That a line asks for nothing of the kind, to forget, to hush; together 1.
  package func likelihoods(of line: String) -> [Float]? {
    AnswerReader.standard.outputs(line).map { outputs in
      WordClassifier.softmax(rows.map { row in zip(row.dropFirst(), outputs).reduce(row[0]) { $0 + $1.0 * $1.1 } })
    }
  }
}
