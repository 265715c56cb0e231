// SPDX-License-Identifier: Apache-2.0
// What people import: the modules below under one name.
@_exported import PetClassifiers
@_exported import PetCompanion
@_exported import PetConversation
@_exported import PetFiles
@_exported import PetGrammar
@_exported import PetInference
@_exported import PetJSON
@_exported import PetLanguage
@_exported import PetMemory
@_exported import PetRuntime
@_exported import PetTokenizer

extension LanguageModel {
  /// The model that is part of the program: nothing is fetched, and no file but the program itself is read.
  /// - Throws: `CatalogError`, `ModelStoreError`, `GGUFError`, `LanguageModelError`, `InferenceError`.
  public static func builtIn(_ options: LoadOptions) throws -> LanguageModel {
    guard let model = try Catalog.builtIn().models.first(where: { $0.kind == .language && $0.source == .builtIn })
    else { throw ModelStoreError.noDefault }
    return try LanguageModel(GGUFFile(.builtIn(name: model.file.name)), options)
  }
}

extension GGUFFile {
  /// Opens a model wherever it is.
  /// - Throws: `FileError`, `GGUFError`; `ModelStoreError.notBuiltIn` for a name that this program does not hold.
  package convenience init(_ location: ModelLocation) throws {
    switch location {
    case .file(let path): try self.init(path: path)
    case .builtIn(let name):
      guard let bytes = BuiltInFiles.bytes(named: name) else { throw ModelStoreError.notBuiltIn(name: name) }
      try self.init(mapping: MappedFile(permanent: bytes, named: name))
    }
  }
}
