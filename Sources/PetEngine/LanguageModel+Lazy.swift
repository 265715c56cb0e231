extension ModelLoader where Model == LanguageModel {
  /// A language model wherever its file is. Nothing is read but the size of the file, which is the estimate of the memory that
  /// it takes.
  /// - Throws: `FileError` where there is no such file, `ModelStoreError.notBuiltIn`.
  public static func language(
    _ location: ModelLocation, version: String? = nil, _ options: LanguageModel.LoadOptions
  ) throws -> ModelLoader {
    ModelLoader(version: version ?? "\(location)", bytes: try location.byteCount) { _ in
      // On the pool of tasks, though it takes some milliseconds: what another thread allocates to come back from there is
      // kept by the pool, and each piece keeps a page of the model's tables resident (measured: 8 KB for every load).
      try LanguageModel(GGUFFile(location), options)
    }
  }
}

extension LazyModel where Model == LanguageModel {
  /// The model that a configuration means, not yet loaded: see ``ModelStore/select(_:for:)``. It goes when it was idle for
  /// as long as the configuration says.
  /// - Throws: `ModelStoreError`, `FileError`.
  public init(_ configuration: Configuration, in store: ModelStore) throws {
    let selection = try store.select(configuration.model.value, for: configuration.profile.value)
    self.init(
      name: configuration.model.value ?? "\(selection.location)",
      loader: try .language(selection.location, .init(configuration)), idleTime: configuration.idleTimeToLive.value)
  }
}
