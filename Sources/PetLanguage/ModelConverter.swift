// SPDX-License-Identifier: Apache-2.0
import PetFiles
import PetInference
import PetTokenizer

/// Turns a model folder in Hugging Face's layout into a GGUF file.
package enum ModelConverter {
  /// Published `tokenizer.model` files have 0.5 to 4 MB.
  private static let maximumTokenizerSize = 64 << 20

  /// - Parameters:
  ///   - folder: `config.json`, safetensors files, `tokenizer.model`, and the tokenizer's JSON files where there are any.
  ///   - output: the file to make; one that is there is replaced when the new one is complete.
  ///   - progress: called about once per megabyte.
  /// - Throws: `ImportError`, `QuantizationError.overwritesInput`, `FileError`, `GGUFWriteError`;
  ///   `CancellationError` when the task is cancelled.
  package static func convert(
    folder: String, output: String, precision: WeightPrecision = .keep,
    progress: (ImportProgress) -> Void = { _ in }
  ) throws -> ImportSummary {
    let importer = try HuggingFaceImporter(
      folder: folder, vocabulary: try vocabulary(folder + "/tokenizer.model"), name: name(of: folder),
      precision: precision)
    return try importer.write(to: output, progress: progress)
  }

  /// The last component of the path.
  package static func name(of folder: String) -> String {
    folder.split(separator: "/").last { $0 != "." && $0 != ".." }.map(String.init) ?? "model"
  }

  private static func vocabulary(_ path: String) throws -> ImportedVocabulary {
    let file: RandomAccessFile
    do {
      file = try RandomAccessFile(path: path)
    } catch {
      guard error.isMissing else { throw error }
      throw ImportError.missingFile(
        path: path, advice: "a model is converted with its SentencePiece vocabulary; tokenizer.json is not read")
    }
    guard file.size <= maximumTokenizerSize else {
      throw ImportError.fileTooLarge(path: path, size: file.size, limit: maximumTokenizerSize)
    }
    let model: SentencePieceModel
    let bytes = try file.read(0..<file.size)
    do throws(TokenizerError) {
      model = try SentencePieceModel(bytes: bytes)
      // What the keys of a GGUF file cannot say is refused, not left out.
      _ = try model.vocabulary()
    } catch {
      throw ImportError.vocabulary(path: path, problem: error.description)
    }
    let tokens = (0..<model.count).map { id in
      ImportedVocabulary.Token(
        text: Array(model.piece(id)), score: model.score(id),
        type: ImportedVocabulary.TokenType(rawValue: model.type(id).rawValue) ?? .normal)
    }
    return ImportedVocabulary(path: path, tokens: tokens, addsSpacePrefix: model.addsDummyPrefix)
  }
}
