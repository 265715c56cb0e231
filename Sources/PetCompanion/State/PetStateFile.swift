// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PetFiles
import PetRuntime

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Where a pet lives between two runs: JSON, mode 0600, written whole or not at all. For one process at a time.
package struct PetStateFile: Sendable {
  package let path: String
  /// The form that this build writes.
  package static let version = 1
  /// A record is well under 8 KB.
  package static let largest = 64 << 10

  private struct Version: Decodable {
    let version: Int?
  }

  private struct Versioned: Encodable {
    let version: Int
    let record: PetRecord

    private enum CodingKeys: String, CodingKey { case version }

    func encode(to encoder: any Encoder) throws {
      try record.encode(to: encoder)
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(version, forKey: .version)
    }
  }

  /// - Parameter path: of the file; its folder must be there.
  package init(_ path: String) { self.path = path }

  /// Where a file goes that cannot be read. Where one is there already, a number comes behind it.
  package var damagedPath: String { path + ".damaged" }

  /// Where files may be that could not be read.
  package var asides: [String] { [damagedPath] + (2...999).map { "\(damagedPath)-\($0)" } }

  /// The record in the file; nil where there is no file. A bare ``PetState``, as stored before there was a version, is true
  /// at `seconds`.
  /// - Throws: ``PetStateFileError``
  package func load(seconds: Int64) throws(PetStateFileError) -> PetRecord? {
    let stored: [UInt8]?
    do throws(FileError) {
      stored = try OpenFile.contents(path, atMost: Self.largest)
    } catch {
      if error.code == EFBIG { throw .damaged(path: path, key: "") }
      throw .system(path: path, operation: error.operation, code: error.code)
    }
    guard let data = stored.map({ Data($0) }) else { return nil }
    do {
      let decoder = JSONDecoder()
      guard let version = try decoder.decode(Version.self, from: data).version else {
        return PetRecord(PetLife(try decoder.decode(PetState.self, from: data), seconds: seconds))
      }
      guard version <= Self.version else { throw PetStateFileError.newer(path: path, version: version) }
      guard version > 0 else { throw PetStateFileError.damaged(path: path, key: "version") }
      return try decoder.decode(PetRecord.self, from: data)
    } catch let error as PetStateFileError {
      throw error
    } catch {
      throw .damaged(path: path, key: Self.key(error))
    }
  }

  /// The record in the file, or a new one. A file that cannot be understood is kept, see ``damagedPath``.
  /// - Returns: the record, of `seconds` or before, and what was wrong with the file, to be told.
  /// - Throws: ``PetStateFileError/system(path:operation:code:)`` where the file cannot be read or moved at all.
  package func loadOrBegin(
    _ state: PetState = PetState(), seconds: Int64
  ) throws(PetStateFileError) -> (record: PetRecord, setAside: PetStateFileError?) {
    do throws(PetStateFileError) {
      return (try load(seconds: seconds) ?? PetRecord(PetLife(state, seconds: seconds)), nil)
    } catch {
      if case .system = error { throw error }
      guard let aside = asides.first(where: { access($0, F_OK) != 0 }) else {
        throw .system(path: path, operation: "move", code: EEXIST)
      }
      guard rename(path, aside) == 0 else { throw .system(path: path, operation: "move", code: errno) }
      return (PetRecord(PetLife(state, seconds: seconds)), error)
    }
  }

  /// Keeps `record`, on disk when this returns. Where it throws, what was there before is there still.
  /// - Throws: ``PetStateFileError/system(path:operation:code:)``
  package func save(_ record: PetRecord) throws(PetStateFileError) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    let data: Data
    do {
      data = try encoder.encode(Versioned(version: Self.version, record: record))
    } catch {
      // Every number in a record is finite, so that this does not happen.
      throw .damaged(path: path, key: Self.key(error))
    }
    do throws(FileError) {
      try Array(data).withUnsafeBufferPointer { bytes throws(FileError) in
        try OpenFile.replace(path, UnsafeRawBufferPointer(bytes), mode: 0o600)
      }
    } catch {
      throw .system(path: path, operation: error.operation, code: error.code)
    }
  }

  /// Where in the content a decoder stopped.
  private static func key(_ error: any Error) -> String {
    let path: [any CodingKey] =
      switch error {
      case DecodingError.dataCorrupted(let context), DecodingError.typeMismatch(_, let context),
        DecodingError.valueNotFound(_, let context):
        context.codingPath
      case DecodingError.keyNotFound(let key, let context): context.codingPath + [key]
      default: []
      }
    return path.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
  }
}
