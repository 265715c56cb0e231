// SPDX-License-Identifier: Apache-2.0
extension ModelLoader where Model == LanguageModel {
  /// A language model wherever its file is. Of the file only the header is read, for the estimate of what one conversation
  /// will take; where that fails the load will say why, and the estimate is the size of the file.
  /// - Parameter version: nil: the name of ``LanguageModel/LoadOptions/identity``, else the location.
  /// - Throws: `FileError` where there is no such file, `ModelStoreError.notBuiltIn`.
  public static func language(
    _ location: ModelLocation, version: String? = nil, _ options: LanguageModel.LoadOptions
  ) throws -> ModelLoader {
    let size = try location.byteCount
    let estimate = try? MemoryEstimate(GGUFFile(location), options)
    return ModelLoader(
      version: version ?? options.identity?.name ?? "\(location)", bytes: estimate.map { UInt64($0.model) } ?? size
    ) { _ in
      // On the pool of tasks, though it takes some milliseconds: what another thread allocates to come back from there is
      // kept by the pool, and each piece keeps a page of the model's tables resident (measured: 8 KB for every load).
      try LanguageModel(GGUFFile(location), options)
    }
  }
}
