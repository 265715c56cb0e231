// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import PetFiles
import PetInference

// FoundationEssentials is linked for JSON already: URL costs no resident memory until it is used.

extension LanguageModel {
  /// Loads the GGUF file at `path` off the caller's executor. Where weights are interleaved, that goes on in the background: a first
  /// reply does not wait for it.
  /// - Parameter progress: called with the part of the steps that is done, up to 1.
  /// - Throws: as ``init(path:_:)``.
  @concurrent
  public static func load(
    path: String, _ options: LoadOptions, progress: @Sendable (Double) -> Void = { _ in }
  ) async throws -> LanguageModel {
    try LanguageModel(GGUFFile(path: path), options, progress: progress)
  }

  /// The same of a file's URL.
  /// - Throws: also `FileError` for the URL of something else.
  @concurrent
  public static func load(
    contentsOf url: URL, _ options: LoadOptions, progress: @Sendable (Double) -> Void = { _ in }
  ) async throws -> LanguageModel {
    try await load(path: url.filePath(), options, progress: progress)
  }

  /// As ``loadAdapter(path:)``, of a file's URL.
  public func loadAdapter(contentsOf url: URL) throws -> ModelAdapter { try loadAdapter(path: url.filePath()) }
}

extension LanguageModelSession {
  /// As with a path, of a file's URL.
  public init(model: LanguageModel, restoring url: URL, adapter: ModelAdapter? = nil) throws {
    try self.init(model: model, restoring: url.filePath(), adapter: adapter)
  }

  /// As with a path, to a file's URL.
  public func save(to url: URL) async throws { try await save(to: url.filePath()) }
}

extension URL {
  /// - Throws: `FileError` for the URL of something else than a file.
  fileprivate func filePath() throws(FileError) -> String {
    guard isFileURL else { throw FileError(path: absoluteString, operation: "open", code: EINVAL) }
    return path
  }
}
