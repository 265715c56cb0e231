// SPDX-License-Identifier: Apache-2.0
import PetRuntime

/// How a line goes on from danger: `Models/dialogue-acts-v1.bin`, made by `Training/train_dialogue_acts.py`.
package struct DialogueActClassifier: Sendable {
  /// How likely an act must be, of 384 lines of `Training/danger/acts/held_out` 66 % are so likely, 86 % of them rightly; and that somebody is there, which
  /// must not be believed too soon.
  static let (least, leastWith): (Float, Float) = (0.6, 0.8)
  private let classifier: LineClassifier

  package init(_ classifier: LineClassifier) { self.classifier = classifier }

  /// The one that is built in, and read by a test.
  package static let standard = DialogueActClassifier(
    .builtIn("dialogue-acts-v1.bin", classes: DialogueAct.allCases.count))

  /// ``DialogueAct/more`` where none is likely, or there is no memory to read the line.
  ///
  /// Complexity: one pass of the reader, some milliseconds.
  package func act(of line: String) -> DialogueAct {
    guard let likelihoods = classifier.likelihoods(of: line),
      let (act, likelihood) = zip(DialogueAct.allCases, likelihoods).max(by: { $0.1 < $1.1 })
    else { return .more }
    return likelihood >= (act == .with ? Self.leastWith : Self.least) ? act : .more
  }
}
