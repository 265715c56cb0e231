// SPDX-License-Identifier: Apache-2.0
import PetFiles
import PetText

/// A model whose matrices lie in its file as the kernels like them best: groups of 16 rows with their fields side by side
/// (`PK_INTERLEAVED`). Mapped, it is as fast as copied weights, and its pages are shared and evictable: on one thread, weights in
/// rows take a tenth longer to write with and a quarter longer to read with.
///
/// It is an option, and copying the default: nobody else reads such a file, a second one doubles what a model takes on disk, and
/// copying 97 MB takes 40 ms of one core beside the first tokens. Worth it where memory must stay with the file, as on a watch.
///
///     general.architecture           "pet-interleaved": other programs refuse the file, where they would compute nonsense
///     pet-interleaved.version        1
///     pet-interleaved.architecture   that of the source
///     pet-interleaved.source_sha256  of the source file, 64 hexadecimal digits
///
/// All other keys but the alignment are the source's, and so are names, shapes and types of the tensors. Only whole groups are
/// interleaved, so every matrix keeps its size.
public struct PackedFormat: Sendable, Equatable {
  /// `general.architecture` of the source.
  public let architecture: String
  /// SHA-256 of the source file, in lower-case hexadecimal digits.
  public let sourceHash: String

  static let name = "pet-interleaved"
  static let keyPrefix = name + "."
  /// Of the rule by which matrices are interleaved, and of the order of their bytes.
  static let version = 1
  static let versionKey = keyPrefix + "version"
  static let architectureKey = keyPrefix + "architecture"
  static let sourceHashKey = keyPrefix + "source_sha256"
  /// Groups begin with a cache line, as copied ones do.
  static let alignment = 64

  /// nil for an ordinary file.
  /// - Throws: `GGUFError` where the file says that it is packed, but not how, or in another version.
  public init?(file: GGUFFile) throws(GGUFError) {
    guard file.isPacked else { return nil }
    let version = try file.require(Self.versionKey, file.integer(Self.versionKey))
    guard version == Self.version else { throw file.error(.packedVersion(version, supported: Self.version)) }
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

  /// Whether the packed form of a model has this tensor's rows interleaved.
  ///
  /// - Parameter file: the source or its packed form: the answer is the same.
  /// - Throws: `GGUFError` for a matrix of a layer that cannot be. Those are stacked, and all must have one layout.
  static func interleaves(_ tensor: GGUFTensor, of file: GGUFFile) throws(GGUFError) -> Bool {
    let rows = tensor.dimensions.dropFirst().reduce(1, *)  // the parser has counted the elements
    guard rows > 1 else { return false }
    let isWhole = QuantizedMatrix.canBeInterleaved(rows: rows)
    switch tensor.name {
    // Where it is no output, single rows of it are read: interleaved, each would take the pages of 16.
    case "token_embd.weight": return isWhole && file.tensors["output.weight"] == nil
    case "output.weight": return isWhole
    default:
      guard isWhole else { throw file.error(.unevenRows(tensor: tensor.name, rows: rows)) }
      return true
    }
  }
}

extension GGUFFile {
  /// Whether the file says of itself that it is packed.
  var isPacked: Bool { metadata["general.architecture"] == .text(PackedFormat.name) }

  /// `general.architecture`, of a packed file that of its source; nil where the key is absent.
  /// - Throws: `GGUFError` where it is no text, or what a packed file says of itself is wrong.
  public func architecture() throws(GGUFError) -> String? {
    if let packed = try PackedFormat(file: self) { return packed.architecture }
    return try string("general.architecture")
  }

  /// - Throws: `GGUFError` where the tensors of this file are not the bytes that their types say.
  package func refusePacked() throws(GGUFError) {
    if isPacked { throw error(.packed) }
  }
}
