// SPDX-License-Identifier: Apache-2.0
import PetInference

/// The bar of a command that writes a model, made when the total is known.
final class ConversionProgress {
  private let label: String
  private var bar: ProgressBar?

  init(label: String) { self.label = label }

  func update(_ progress: ImportProgress) {
    let bar = self.bar ?? ProgressBar(label, total: UInt64(progress.total))
    self.bar = bar
    bar.update(UInt64(progress.written))
  }

  func finish() {
    bar?.finish()
    bar = nil
  }
}
