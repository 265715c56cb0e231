// SPDX-License-Identifier: Apache-2.0
/// Finds which of what was told answers a question by what both mean: `recall-reader-v2.gguf`, made by `Training/train_recall_reader.py`.
///
/// Each line has a vector (Sentence-BERT, arXiv:1908.10084), and a statement answers a question where theirs are near. That nothing told is asked
/// for, that it was never told, and each statement are weighed against each other.
package struct AnswerReader: Sendable {
  /// The outputs of the network for a line: as a question, that nothing told is asked for, and that what is asked for is not told; its vector.
  private enum Part {
    static let own = 2
    static let size = 384
    static let count = own + size
  }

  static let outputCount = Part.count

  /// How much the nearness of two vectors counts, from -1 to 1, and what is added: learned, and printed with the export. To the latter 1.75 is added
  /// (``AnswerSelector``): who has told something would rather hear too much of it than that it never was told.
  private static let (scale, bias): (Float, Float) = (18.52, -7.03)
  private let reader: LineReader

  /// The one that is built in.
  package static let standard = AnswerReader(reader: .builtIn("recall-reader-v2.gguf", classes: Part.count))

  /// How likely nothing told is asked for, what is asked for is not told, and each statement answers; nil where there is no memory for it.
  ///
  /// Complexity: one pass over the question, and over each statement that was not read before, some milliseconds for each.
  func likelihoods(of question: String, beside statements: [String], _ known: StatementVectors) -> [Float]? {
    nearness(of: question, to: statements, known).map {
      WordClassifier.softmax($0.own + $0.near.map { $0 * Self.scale + Self.bias })
    }
  }

  /// How likely each statement answers, as if it were the only one; nil where there is no memory for it.
  ///
  /// Complexity: as of ``likelihoods(of:beside:_:)``.
  func shares(of question: String, beside statements: [String], _ known: StatementVectors) -> [Float]? {
    nearness(of: question, to: statements, known).map { own, near in
      near.compactMap { WordClassifier.softmax(own + [$0 * Self.scale + Self.bias]).last }
    }
  }

  /// Reads a statement before anybody asks.
  func read(_ statement: String, into known: StatementVectors) { _ = known.vector(of: statement, read: vector) }

  /// What is said of the question alone, as the last layer says it; and how near the vector of each statement is to its own, from -1 to 1.
  package func nearness(
    of question: String, to statements: [String], _ known: StatementVectors = StatementVectors()
  ) -> (own: [Float], near: [Float])? {
    guard let outputs = outputs(question) else { return nil }
    let asked = Self.unit(outputs.dropFirst(Part.own))
    var near: [Float] = []
    for statement in statements {
      guard let told = known.vector(of: statement, read: vector) else { return nil }
      near.append(zip(asked, told).reduce(0) { $0 + $1.0 * $1.1 })
    }
    return (Array(outputs.prefix(Part.own)), near)
  }

  private func vector(_ statement: String) -> [Float]? { outputs(statement).map { Self.unit($0.dropFirst(Part.own)) } }

  /// What the last layer says of a line: [``outputCount``].
  func outputs(_ line: String) -> [Float]? { reader.answers(FoldedText.words(line), beside: EmptyCollection()) }

  /// Of length 1.
  private static func unit(_ vector: ArraySlice<Float>) -> [Float] {
    let length = vector.reduce(0) { $0 + $1 * $1 }.squareRoot()
    return vector.map { $0 / max(length, 1e-12) }
  }
}
