// SPDX-License-Identifier: Apache-2.0
/// A classifier that keeps buffers between its steps, and so is asked by one task at a time.
public actor SerialClassifier<Classifier> {
  private let classifier: Classifier

  init(_ classifier: sending Classifier) { self.classifier = classifier }

  /// Runs `body` with it; who comes meanwhile waits.
  public func run<Value: Sendable>(_ body: @Sendable (Classifier) throws -> Value) rethrows -> Value {
    try body(classifier)
  }
}
