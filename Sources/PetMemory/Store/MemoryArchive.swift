// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// What a pet remembers, as a file that another pet, or another program, can read: JSON, with times in seconds since 1970.
public struct MemoryArchive: Sendable, Codable, Equatable {
  /// One memory.
  public struct Entry: Sendable, Codable, Equatable {
    public let kind: String
    public let subject: String
    public let topic: String
    public let value: String
    public let text: String
    /// "rule", "model" or "person": who put it into words.
    public let origin: String
    public let confidence: Double
    public let importance: Double
    public let created: Int64
    public let lastUsed: Int64
    /// From when on it is no longer recalled.
    public let expires: Int64?
    /// Whether it is kept and not spoken of.
    public let quiet: Bool

    private enum CodingKeys: String, CodingKey {
      case kind, subject, topic, value, text, origin, confidence, importance, created
      case lastUsed = "last_used"
      case expires, quiet
    }
  }

  /// What became of the entries of a file.
  public struct Arrival: Sendable, Equatable {
    public var added: [Fact] = []
    /// Known already, or known otherwise since.
    public var known = 0
    /// Of a kind that this version does not know, empty, longer than a memory is, a secret, near danger, or more than there is room for.
    public var refused = 0
  }

  private static let format = "pet-memories"
  private static let version = 1
  /// Of a file that is read.
  public static let mostBytes = 8 << 20

  public let format: String
  public let version: Int
  public let memories: [Entry]

  package init(_ facts: [Fact]) {
    (format, version) = (Self.format, Self.version)
    memories = facts.map { fact in
      Entry(
        kind: fact.kind.rawValue, subject: fact.subject, topic: fact.topic, value: fact.value, text: fact.text,
        origin: fact.source.origin.rawValue, confidence: fact.confidence, importance: fact.importance,
        created: fact.created, lastUsed: fact.lastUsed, expires: fact.expires, quiet: fact.isQuiet)
    }
  }

  private struct Head: Decodable {
    let format: String
    let version: Int
  }

  /// - Throws: ``MemoryArchiveError``.
  public init(bytes: [UInt8]) throws(MemoryArchiveError) {
    let data = Data(bytes)
    guard let head = try? JSONDecoder().decode(Head.self, from: data), head.format == Self.format else {
      throw .notAnArchive
    }
    guard head.version <= Self.version else { throw .newer(head.version) }
    do { self = try JSONDecoder().decode(MemoryArchive.self, from: data) } catch {
      throw Self.fault(error)
    }
  }

  /// Which memory of a file is in no form, and what of it.
  private static func fault(_ error: any Error) -> MemoryArchiveError {
    let (path, isMissing): ([any CodingKey], Bool) =
      switch error {
      case DecodingError.keyNotFound(let key, let context): (context.codingPath + [key], true)
      case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
        DecodingError.dataCorrupted(let context):
        (context.codingPath, false)
      default: ([], false)
      }
    guard let place = path.lazy.compactMap(\.intValue).first else { return .notAnArchive }
    return .entry(
      place + 1, field: path.last { $0.intValue == nil && $0.stringValue != "memories" }?.stringValue,
      isMissing: isMissing)
  }

  /// Indented, in the order of their keys, with a line end.
  public func written() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
  }
}

/// Why a file is no archive of memories.
public enum MemoryArchiveError: Error, Equatable, CustomStringConvertible {
  case notAnArchive
  case newer(Int)
  /// A memory, counted from 1, that lacks a field or has one of another kind; nil: it is no memory at all.
  case entry(Int, field: String?, isMissing: Bool)

  public var description: String {
    switch self {
    case .notAnArchive: "this is no file of memories as `pet memory export` writes it"
    case .entry(let number, let field?, let isMissing):
      "memory \(number) of the file \(isMissing ? "has no" : "has the wrong kind of value in") \"\(field)\"; nothing was taken"
    case .entry(let number, nil, _): "memory \(number) of the file is none; nothing was taken"
    case .newer(let version): "a newer version of this program wrote this file of memories (\(version)); use that"
    }
  }
}

extension Fact {
  /// Nil for what this version does not know, or no memory holds.
  init?(_ entry: MemoryArchive.Entry) {
    let texts = [entry.subject, entry.topic, entry.value, entry.text]
    guard let kind = Kind(rawValue: entry.kind), let origin = FactSource.Origin(rawValue: entry.origin),
      !FactProposal.line(entry.text).isEmpty, !texts.contains(where: FactProposal.isCut)
    else { return nil }
    let proposal = FactProposal(
      kind, subject: entry.subject.isEmpty ? "user" : entry.subject, topic: entry.topic, value: entry.value,
      text: entry.text, confidence: entry.confidence, importance: entry.importance, expires: entry.expires,
      origin: origin)
    self.init(proposal, from: FactSource(conversation: "", turn: 0, origin: origin), at: max(0, entry.created))
    lastUsed = max(created, entry.lastUsed)
    isQuiet = entry.quiet
  }
}

extension MemoryStore {
  /// What holds at `now`.
  package func archive(at now: Int64) throws(MemoryError) -> MemoryArchive { MemoryArchive(try facts(at: now)) }

  /// Remembers what `entries` of an archive hold; what is known otherwise since stays as it is, and no two of them say the same.
  /// - Parameter refused: how many of the archive are not among them.
  /// - Complexity: O(entries times facts).
  package func take(
    _ entries: [MemoryArchive.Entry], refused: Int = 0, at now: Int64
  ) throws(MemoryError) -> MemoryArchive.Arrival {
    let known = try facts(at: now)
    let welcome = entries.compactMap { Fact($0) }.filter { fact in
      fact.isLive(at: now) && ![fact.text, fact.value, fact.topic].contains { SaidLines.isSecret($0, extractor) }
    }
    var new: [Fact] = []
    for fact in welcome where !known.contains(where: { Self.isSame($0, fact) }) {
      if !new.contains(where: { Self.isSame($0, fact) }) { new.append(fact) }
    }
    // What is beyond, the next turn would let go without a word.
    var (room, lines) = (limit - known.count, SaidLines.most - known.count { $0.kind == .said })
    let taken = new.filter { fact in
      guard room > 0, fact.kind != .said || lines > 0 else { return false }
      room -= 1
      if fact.kind == .said { lines -= 1 }
      return true
    }
    let added = try restore(taken, at: now)
    return MemoryArchive.Arrival(
      added: added, known: welcome.count - new.count,
      refused: refused + entries.count - welcome.count + new.count - added.count)
  }
}
