import Foundation
import PetEngine
import Synchronization
import Testing

/// Pets and models for tests.
enum Pets {
  static let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  static let moment = Moment(seconds: 1_800_014_400)

  /// A model of somebody else, which never learned to be a pet.
  static func stranger(contextLength: Int = 256) throws -> LanguageModel {
    try LanguageModel(
      path: tests.appending(path: "Fixtures/models/phi3-mha/model.gguf").path,
      .init(threadCount: 1, contextLength: contextLength))
  }

  /// The model that is built in, with one more number in its metadata.
  static func nano(_ key: String, _ value: UInt32) throws -> LanguageModel {
    let model = try #require(try Catalog.builtIn().models.first { $0.kind == .language && $0.source == .builtIn })
    let file = try Data(#require(BuiltInFiles.bytes(named: model.file.name)))
    let entry = bytes(UInt64(key.utf8.count)) + Data(key.utf8) + bytes(4 as UInt32) + bytes(value)
    // Tensors begin at a multiple of 32: a text fills up.
    let name = Data("test.filling".utf8)
    let head = bytes(UInt64(name.count)) + name + bytes(8 as UInt32)
    let filling = Data(repeating: 0x20, count: 31 - (entry.count + head.count + 8 + 31) % 32)
    // Magic, version and tensor count, 16 bytes, stand before the count of keys.
    let count = file[16..<24].reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
    let changed = file[..<16] + bytes(count + 2) + entry + head + bytes(UInt64(filling.count)) + filling + file[24...]
    let path = URL.temporaryDirectory.appending(path: "nano-\(UInt64.random(in: 0 ... .max)).gguf")
    try changed.write(to: path)
    defer { try? FileManager.default.removeItem(at: path) }
    return try LanguageModel(path: path.path, .init(threadCount: 1, kernelVariant: .scalar))
  }

  private static func bytes(_ value: some FixedWidthInteger) -> Data {
    withUnsafeBytes(of: value.littleEndian) { Data($0) }
  }

  static func mochi(_ settings: LivingPet.Settings = .init(), memories: [String] = []) throws -> LivingPet {
    LivingPet(try PersonaCatalog().entry("mochi").persona, name: "mochi", memories: memories, settings) { moment }
  }
}

/// A folder for pets, removed with the test, and a clock that the test sets.
final class PetFolder: Sendable {
  let path = URL.temporaryDirectory.appending(path: "pet-\(UInt64.random(in: 0 ... .max))").path
  private let clock = Mutex(Pets.moment)

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func wait(seconds: Int64) { clock.withLock { $0 = Moment(seconds: $0.seconds + seconds, offset: Int($0.offset)) } }

  var now: Moment { clock.withLock { $0 } }

  /// The pet that lives there, opened anew.
  func pet(_ name: String, _ settings: LivingPet.Settings = .init(), key: MemoryKey? = nil) throws -> LivingPet {
    LivingPet(
      try PersonaCatalog().entry(name).persona, name: name,
      home: try PetHome(path + "/" + name, key: key, now: now), settings
    ) { [self] in now }
  }
}
