// SPDX-License-Identifier: Apache-2.0
import PetFiles
import PetText

/// A GGUF file whose matrices are interleaved (`WeightLayout.interleaved`). Mapped, it is as fast as interleaved copies, and its
/// pages are shared and evictable: on one thread, row-major weights take a tenth longer to write with and a quarter longer to
/// read with.
///
/// It is an option, and copying the default: no other program reads such a file, a second file doubles what a model takes on
/// disk, and copying 97 MB takes 40 ms of one core beside the first tokens. Worth it where memory must stay with the file, as on
/// a watch.
///
///     general.architecture           "pet-interleaved": other programs refuse the file, where they would compute nonsense
///     pet-interleaved.version        1
///     pet-interleaved.architecture   that of the source
///     pet-interleaved.source_sha256  of the source file, 64 hexadecimal digits
///
/// All other keys but the alignment are the source's, and so are names, shapes and types of the tensors. Only whole groups are
/// interleaved, so every matrix keeps its size.
package struct InterleavedFormat: Sendable, Equatable {
  /// `general.architecture` of the source.
  package let architecture: String
  /// SHA-256 of the source file, in lower-case hexadecimal digits.
  package let sourceHash: String

  static let name = "pet-interleaved"
  static let keyPrefix = name + "."
  /// Version of the order of the bytes, and of the rule that selects the interleaved tensors.
  static let version = 1
  static let versionKey = keyPrefix + "version"
  static let architectureKey = keyPrefix + "architecture"
  static let sourceHashKey = keyPrefix + "source_sha256"
  /// Aligns groups to cache lines, as in `InterleavedCopies`.
  static let alignment = 64

  /// nil for a row-major file.
  /// - Throws: `GGUFError` for an interleaved file of another version, or whose keys are missing or wrong.
  package init?(file: GGUFFile) throws(GGUFError) {
    guard file.isInterleaved else { return nil }
    let version = try file.require(Self.versionKey, file.integer(Self.versionKey))
    guard version == Self.version else { throw file.error(.interleavedVersion(version, supported: Self.version)) }
    architecture = try file.require(Self.architectureKey, file.string(Self.architectureKey))
    sourceHash = try file.require(Self.sourceHashKey, file.string(Self.sourceHashKey))
    guard Self.isHash(sourceHash) else {
      throw file.error(
        .keyValue(key: Self.sourceHashKey, value: sourceHash.printable, allowed: "64 hexadecimal digits"))
    }
  }

  static func isHash(_ text: String) -> Bool {
    text.utf8.count == 64 && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }

  /// The layout of a tensor in an interleaved file.
  ///
  /// - Parameter file: the source or the interleaved file: the answer is the same.
  /// - Throws: `GGUFError` for a matrix of a layer that cannot be interleaved. Those are stacked, and all must have one layout.
  static func layout(of tensor: GGUFTensor, in file: GGUFFile) throws(GGUFError) -> WeightLayout {
    let rows = tensor.dimensions.dropFirst().reduce(1, *)  // the parser has counted the elements
    guard rows > 1 else { return .rowMajor }
    let fits = WeightInterleaving.fits(rows: rows)
    switch tensor.name {
    // An untied embedding is read row by row: interleaved, each row would touch the pages of 16.
    case "token_embd.weight": return fits && file.tensors["output.weight"] == nil ? .interleaved : .rowMajor
    case "output.weight": return fits ? .interleaved : .rowMajor
    default:
      guard fits else { throw file.error(.unevenRows(tensor: tensor.name, rows: rows)) }
      return .interleaved
    }
  }
}

extension GGUFFile {
  /// Whether the metadata declares the file interleaved.
  var isInterleaved: Bool { metadata["general.architecture"] == .text(InterleavedFormat.name) }

  /// `general.architecture`; of an interleaved file, that of its source. nil where the key is absent.
  /// - Throws: `GGUFError` where it is no text, or where the keys of an interleaved file are wrong.
  package func architecture() throws(GGUFError) -> String? {
    if let format = try InterleavedFormat(file: self) { return format.architecture }
    return try string("general.architecture")
  }

  /// - Throws: `GGUFError.Reason.interleaved`: the tensors are not in the order that GGUF defines for their types.
  package func refuseInterleaved() throws(GGUFError) {
    if isInterleaved { throw error(.interleaved) }
  }
}
