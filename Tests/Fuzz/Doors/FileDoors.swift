// SPDX-License-Identifier: Apache-2.0
import Crypto
import FoundationEssentials
import PetCompanion
import PetEngine
import PetRuntime

/// Files that a person keeps, gets from others, or finds damaged.
enum FileDoors {
  static func settings(_ bytes: [UInt8]) throws {
    let path = InputFile.write(bytes, to: "settings.toml")
    _ = try Configuration(Configuration.Sources(file: path)) { ProcessorShare(allowed: 2, quota: nil) }
  }

  /// A catalog of others, and what a store makes of it.
  static func catalog(_ bytes: [UInt8]) throws {
    let catalog = try Catalog(json: Data(bytes), origin: .local)
    let store = ModelStore(folder: "/nowhere", catalog: catalog)
    for model in catalog.models {
      precondition(!store.path(of: model).contains("/../"), "a model outside of its folder")
      _ = store.state(of: model)
      _ = catalog.tiers(of: model)
    }
    _ = catalog.defaultModel()
  }

  /// A persona, a character card, a picture with one.
  static func persona(_ bytes: [UInt8]) throws {
    let entry = try PersonaCatalog.read(withSoundChunks(bytes))
    let instructions = entry.persona.instructions(PetState(), memories: ["likes tea"], user: "Ada", limit: 500)
    _ = (instructions, entry.persona.greeting(7, user: "Ada"), entry.persona.pet)
    guard let card = entry.card else { return }
    let again = try CharacterCard(json: card.json)
    precondition(again.json == card.json, "a card is not what was written")
  }

  /// Mutations break the CRC of every chunk that they touch; with it right they reach what lies behind it.
  private static func withSoundChunks(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.starts(with: PNGChunks.signature) else { return bytes }
    var bytes = bytes
    var offset = PNGChunks.signature.count
    while bytes.count - offset >= 12 {
      let length = bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
      guard length <= bytes.count - offset - 12 else { break }
      let end = offset + 8 + length
      let crc = bytes[offset + 4..<end].withUnsafeBytes(CRC32.of)
      bytes.replaceSubrange(end..<end + 4, with: (0..<4).map { UInt8(truncatingIfNeeded: crc >> (24 - 8 * $0)) })
      offset = end + 4
    }
    return bytes
  }

  /// The state of a pet, through a year, and back.
  static func life(_ bytes: [UInt8]) throws {
    let path = InputFile.write(bytes, to: "state.json")
    guard var record = try PetStateFile(path).load(seconds: 1_800_000_000) else { return }
    for moment in [0, 1_800_000_000, 1_830_000_000, -5] as [Int64] {
      record.life.advance(to: Moment(seconds: moment, offset: 3600))
      record.life.meet(at: Moment(seconds: moment, offset: 3600))
      _ = (record.life.state, record.life.isDigesting)
    }
    let file = PetStateFile(InputFile.path("written.json"))
    try file.save(record)
    let again = try file.load(seconds: 0)
    precondition(again == record, "a life is not what was written")
  }

  private static let home: PetHome = {
    do {
      return try PetHome(InputFile.subfolder("home"))
    } catch {
      fatalError("\(error)")
    }
  }()

  static func conversation(_ bytes: [UInt8]) throws {
    let conversation = try SavedConversation("input", of: home)
    _ = InputFile.write(bytes, to: String(conversation.path.dropFirst(InputFile.path("").count)))
    guard let (state, notes) = try conversation.loadWithNotes() else { return }
    _ = (state?.turns, state?.instructions)
    let other = try SavedConversation("written", of: home)
    try other.save(WrittenConversation((state, notes)))
    let again = try other.loadWithNotes()
    precondition(again?.state == state && again?.notes == notes, "a conversation is not what was written")
  }

  /// The log of the prediction cache, with checksums that are right.
  static func predictions(_ bytes: [UInt8]) throws {
    let path = InputFile.write(withSoundRecords(bytes), to: "predictions")
    var cache = PredictionCache(capacity: 1 << 16, timeToLive: 1000)
    var file = PredictionFile(path: path, cacheCapacity: 1 << 16, seal: nil)
    try file.load(into: &cache, now: 1_800_000_000)
    precondition(cache.statistics.bytes <= 1 << 16)
    let entries = cache.entries(now: 1_800_000_000)
    var again = PredictionCache(capacity: 1 << 16, timeToLive: 1000)
    try file.load(into: &again, now: 1_800_000_000)
    precondition(again.entries(now: 1_800_000_000).count == entries.count, "entries are lost")
  }

  private static func withSoundRecords(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    if bytes.count >= 32 { bytes.replaceSubrange(24..<32, with: Array(SHA256.hash(data: bytes[..<24]))[..<8]) }
    var place = 32
    while place < bytes.count {
      let length = bytes[place...].withUnsafeBytes(PredictionRecord.bodyLength) ?? .max
      let body = place + PredictionRecord.headSize
      guard length <= bytes.count - body else {
        place += 1
        continue
      }
      var hash = SHA256()
      hash.update(data: bytes[place..<place + 8])
      hash.update(data: bytes[body..<body + length])
      bytes.replaceSubrange(place + 8..<body, with: Array(hash.finalize())[..<16])
      place = body + length
    }
    return bytes
  }
}
