// SPDX-License-Identifier: Apache-2.0
import PetRuntime

/// Makes the files of models that are adapted from others: what `ModelFetcher` asks for.
package enum ModelAdaptation {
  /// - Throws: `CatalogError` for a type that there is not, `QuantizationError`, `AdapterError`, `GGUFError`, `GGUFWriteError`, `FileError`, `CancellationError`.
  package static func perform(_ request: AdaptationRequest, progress: (_ done: Int, _ total: Int) -> Void) throws {
    try ModelFiles.quantize(
      request.base, request.output, request.source.type, keep: request.source.keep, adapter: request.adapter, progress)
  }
}
