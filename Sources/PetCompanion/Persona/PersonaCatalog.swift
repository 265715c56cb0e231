// SPDX-License-Identifier: Apache-2.0
import Glibc
import PetFiles
import PetJSON
import PetRuntime
import PetText

/// The personas there are: those that are built in, and those in a person's own folder, which may take their places.
///
/// A file of the folder is a persona or a character card (`.json`), or a picture with a card in it (`.png`); what comes before
/// the dot is its name here.
public struct PersonaCatalog: Sendable {
  public struct Entry: Sendable, Equatable {
    public let persona: Persona
    /// What it was read from, for those that came as cards.
    public let card: CharacterCard?
    public let isBuiltIn: Bool
  }

  /// Of the person's own.
  private var entries: [String: Entry]
  /// The files that were refused. The others are there all the same.
  public private(set) var errors: [PersonaFileError] = []

  /// Those that are built in (`prompts/personas`), in the order by which the reply bank numbers them. The one list of their names.
  private static let files: [(name: String, bytes: @Sendable () -> [UInt8])] = [
    ("mochi", { PackageResources.mochi_json }), ("bramble", { PackageResources.bramble_json }),
    ("pixel", { PackageResources.pixel_json }), ("juniper", { PackageResources.juniper_json }),
    ("tofu", { PackageResources.tofu_json }), ("zest", { PackageResources.zest_json }),
  ]

  /// Names of those that are built in, in the order of the reply bank.
  package static let numberedNames = files.map { $0.name }
  /// Names of those that are built in, sorted.
  public static let builtInNames = numberedNames.sorted()
  /// Who comes where nobody is asked for.
  package static let usualName = "mochi"

  /// One that is built in; nil for another name. Reads its file each time: a fraction of a millisecond.
  public static func builtIn(_ name: String) -> Persona? {
    guard let file = files.first(where: { $0.name == name })?.bytes() else { return nil }
    // Part of the build, and read by a test: no other outcome is possible.
    guard let persona = try? PersonaFile.read(file) else { preconditionFailure("a persona of prompts/ is refused") }
    return persona
  }

  public init() { entries = [:] }

  /// - Parameter folder: the path of a folder. One that is not there holds no personas.
  public init(folder: String) {
    self.init()
    if Folder.isFolder(folder), access(folder, R_OK | X_OK) != 0 {
      errors.append(PersonaFileError(file: folder, problem: .unreadable(Self.reason(errno, "read"))))
    }
    let names = Folder.names(in: folder).filter {
      !$0.hasPrefix(".") && ($0.lowercased().hasSuffix(".json") || $0.lowercased().hasSuffix(".png"))
    }
    for name in names.prefix(PersonaLimits.files) {
      let path = "\(folder)/\(name)"
      do {
        add(try Self.bytes(of: path), file: path)
      } catch {
        errors.append(PersonaFileError(file: path, problem: error))
      }
    }
    if names.count > PersonaLimits.files {
      errors.append(PersonaFileError(file: folder, problem: .tooLarge("files", limit: PersonaLimits.files)))
    }
  }

  /// Names to ask for, sorted.
  public var names: [String] { Set(entries.keys).union(Self.builtInNames).sorted() }

  /// - Parameter name: in any case.
  /// - Throws: ``PersonaError/unknown(name:known:)``
  public func entry(_ name: String) throws(PersonaError) -> Entry {
    if let entry = entries[name.lowercased()] { return entry }
    guard let persona = Self.builtIn(name.lowercased()) else { throw .unknown(name: name.quotable, known: names) }
    return Entry(persona: persona, card: nil, isBuiltIn: true)
  }

  /// Adds what a file holds, or its error.
  /// - Parameter file: its path; what comes before the last dot of its last part becomes the name.
  public mutating func add(_ bytes: [UInt8], file: String) {
    do {
      let entry = try Self.read(bytes, of: file)
      entries[Self.name(of: file)] = entry
    } catch {
      errors.append(PersonaFileError(file: file, problem: error))
    }
  }

  /// What a file's persona is asked for by: its last part up to the last dot, in lower case.
  package static func name(of file: String) -> String {
    let name = file.split(separator: "/").last ?? ""
    return name[..<(name.lastIndex(of: ".") ?? name.endIndex)].lowercased()
  }

  /// Reads a persona, a card or a picture with one: which it is shows in the bytes.
  public static func read(_ bytes: [UInt8]) throws(PersonaError) -> Entry {
    let json = bytes.starts(with: PNGChunks.signature) ? try CharacterCard.json(in: bytes) : bytes
    return try PersonaError.reading { () throws(JSONError) in
      let document = try JSONDocument(persona: json)
      guard CharacterCard.isCard(document) else {
        return Entry(persona: try PersonaFile.read(document), card: nil, isBuiltIn: false)
      }
      let card = try CharacterCard(document)
      return Entry(persona: Persona(card), card: card, isBuiltIn: false)
    }
  }

  /// As ``read(_:)``; a file that is named as a picture and cannot be read is told to be none.
  package static func read(_ bytes: [UInt8], of file: String) throws(PersonaError) -> Entry {
    do throws(PersonaError) {
      return try read(bytes)
    } catch {
      guard file.lowercased().hasSuffix(".png"), !bytes.starts(with: PNGChunks.signature) else { throw error }
      throw .image(offset: 0, problem: "not a PNG file")
    }
  }

  /// The bytes of a regular file: a pipe could keep us waiting for ever.
  private static func bytes(of path: String) throws(PersonaError) -> [UInt8] {
    do throws(FileError) {
      if let bytes = try OpenFile.contents(path, atMost: PersonaLimits.imageBytes) { return bytes }
    } catch {
      switch error.code {
      case EFBIG: throw .tooLarge("bytes", limit: PersonaLimits.imageBytes)
      case EISDIR, EINVAL: throw .unreadable("no regular file")
      default: throw .unreadable(error.reason)
      }
    }
    // It went after its folder was read, or is a link to nothing.
    throw .unreadable(reason(ENOENT, "open"))
  }

  private static func reason(_ code: Int32, _ operation: String) -> String {
    FileError(path: "", operation: operation, code: code).reason
  }
}
