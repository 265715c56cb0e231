// What people import: the modules below under one name.
@_exported import PetCompanion
@_exported import PetInference
@_exported import PetLanguage
@_exported import PetRuntime
@_exported import PetTokenizer

extension GGUFFile {
  /// Opens a model wherever it is.
  /// - Throws: `StorageError`, `GGUFError`; `ModelStoreError.notBuiltIn` for a name that this program does not hold.
  public convenience init(_ location: ModelLocation) throws {
    switch location {
    case .file(let path): try self.init(path: path)
    case .builtIn(let name):
      guard let bytes = BuiltInFiles.bytes(named: name) else { throw ModelStoreError.notBuiltIn(name: name) }
      try self.init(mapping: MappedFile(permanent: bytes, named: name))
    }
  }
}
