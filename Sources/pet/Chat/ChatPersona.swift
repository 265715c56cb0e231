// SPDX-License-Identifier: Apache-2.0
import Glibc
import PetEngine
import PetFiles
import PetRuntime
import PetText

/// What `--persona` names.
enum ChatPersona {
  /// With the name of its folder.
  case pet(String, Persona, isBuiltIn: Bool)
  /// A system text, as it stands.
  case text(String)

  /// A persona must leave room in the context; this bounds what is read of a text, the model bounds the rest.
  private static let limit = 64 << 10

  /// - Parameters:
  ///   - nameOrPath: a built-in pet or one of the person's own, else the path of a card or a text.
  ///   - folder: of the person's own personas.
  init(_ nameOrPath: String, folder: String) throws {
    let catalog = PersonaCatalog(folder: folder)
    let name = nameOrPath.lowercased()
    if let entry = try? catalog.entry(name) {
      self = .pet(name, entry.persona, isBuiltIn: entry.isBuiltIn)
      return
    }
    // A broken file under that name is told of, not passed over; nor is what hides it.
    if let broken = catalog.errors.first(where: { PersonaCatalog.name(of: $0.file) == name }) { throw broken }
    let isName = !name.contains("/") && !name.contains(".")
    if isName, let hiding = catalog.errors.first(where: { $0.file == folder }) { throw hiding }
    guard name.hasSuffix(".json") || name.hasSuffix(".png") else {
      let texts: [String] = isName ? [".txt", ".md"].map { "\(folder)/\(nameOrPath)" + $0 } : []
      let own = texts.first { (path: String) in access(path, F_OK) == 0 }
      let path = own ?? nameOrPath
      guard let text = String(validating: try Self.text(path, known: catalog.names), as: UTF8.self),
        !text.unicodeScalars.contains("\0")
      else { throw InputError.notAPersona(path: path) }
      let words = text.trimmed
      guard !words.isEmpty else { throw InputError.notAPersona(path: path) }
      self = .text(words)
      return
    }
    let bytes = try InputFile.bytes(nameOrPath, limit: PersonaLimits.imageBytes)
    do {
      let persona = try PersonaCatalog.read(bytes, of: nameOrPath).persona
      // Two cards may have one file name, and each pet a life of its own.
      self = .pet(
        "\(Self.stem(nameOrPath))-\(String(FNV1a.of("\(persona.name)\n\(persona.kind)".utf8), radix: 16))", persona,
        isBuiltIn: false)
    } catch {
      throw PersonaFileError(file: nameOrPath, problem: error)
    }
  }

  private static func text(_ path: String, known: [String]) throws -> [UInt8] {
    do {
      return try InputFile.bytes(path, limit: limit)
    } catch let error as FileError where error.code == ENOENT && !path.contains("/") {
      throw InputError.noPersona(path, known: known)
    }
  }

  var text: String? { if case .text(let text) = self { text } else { nil } }

  /// The file's name without folder and ending, of letters that any folder may have.
  private static func stem(_ path: String) -> String {
    let file = path.split(separator: "/").last.map { $0.lowercased() } ?? ""
    let stem = file.lastIndex(of: ".").map { String(file[..<$0]) } ?? file
    let safe = stem.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") ? $0 : "-" }
    return safe.isEmpty ? "pet" : String(safe.prefix(64))
  }
}
