// SPDX-License-Identifier: Apache-2.0
/// What is to be made of a model and an adapter.
package struct AdaptationRequest: Sendable, Equatable {
  /// Path of the model that is adapted.
  package let base: String
  /// Path of the adapter.
  package let adapter: String
  /// Path of the file to make.
  package let output: String
  /// What the catalog says of it.
  package let source: AdaptedSource

  package init(base: String, adapter: String, output: String, source: AdaptedSource) {
    self.base = base
    self.adapter = adapter
    self.output = output
    self.source = source
  }
}
