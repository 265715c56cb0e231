// SPDX-License-Identifier: Apache-2.0
/// Whether a line asks to have something forgotten, or never spoken of, in words that no rule reads: `Models/wishes-v2.bin`, made by
/// `Training/train_wishes.py`.
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
  private let classifier: LineClassifier

  package init(_ classifier: LineClassifier) { self.classifier = classifier }

  /// The one that is built in, and read by a test.
  package static let standard = WishClassifier(.builtIn("wishes-v2.bin", classes: 3))

  /// Nil where nothing of the kind is asked for, or there is no memory to read the line.
  ///
  /// Complexity: one pass of the reader, some milliseconds.
  package func wish(in line: String) -> Wish? {
    guard let likelihoods = likelihoods(of: line), likelihoods[0] < 1 - Self.least else { return nil }
    return Wish(kind: likelihoods[1] >= likelihoods[2] ? .forget : .hush, isSure: likelihoods[0] < 1 - Self.sure)
  }

  /// That a line asks for nothing of the kind, to forget, to hush; together 1.
  package func likelihoods(of line: String) -> [Float]? {
    classifier.likelihoods(of: line)
  }
}
