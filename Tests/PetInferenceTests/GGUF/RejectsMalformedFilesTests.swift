// SPDX-License-Identifier: Apache-2.0
import Foundation
import PetFiles
import PetInference
import Testing

/// Malformed input throws an error that names what is wrong; it never traps. Cases after published exploits carry
/// their number.
@Suite struct RejectsMalformedFilesTests {
  private func reason(_ bytes: [UInt8]) throws -> GGUFError.Reason {
    let file = try TemporaryFile(bytes)
    let error = try #require(throws: GGUFError.self) { _ = try GGUFFile(path: file.path) }
    #expect(error.path == file.path)
    #expect(error.description.hasPrefix(file.path))
    #expect(!error.description.contains("\n"))
    return error.reason
  }

  private func reason(_ file: GGUFBytes) throws -> GGUFError.Reason { try reason(file.bytes) }

  @Test func missingFile() throws {
    let error = try #require(throws: FileError.self) { _ = try GGUFFile(path: "/nonexistent/model.gguf") }
    #expect(error.description.contains("/nonexistent/model.gguf"))
  }

  @Test func folder() throws {
    let file = try TemporaryFile([])
    let folder = String(file.path.dropLast("/model.gguf".count))
    #expect(throws: FileError.self) { _ = try GGUFFile(path: folder) }
  }

  @Test func empty() throws { #expect(try reason([]) == .empty) }

  @Test func wrongMagic() throws {
    var file = GGUFBytes()
    file.magic = Array("GGML".utf8)
    #expect(try reason(file) == .notGGUF(magic: 0x4747_4d4c))
  }

  /// CVE-2024-39720: a file of four bytes.
  @Test func onlyMagic() throws {
    guard case .truncated("version", 4, 4, 0) = try reason(Array("GGUF".utf8)) else {
      Issue.record("not truncated")
      return
    }
  }

  @Test(arguments: [0, 1, 4, 99]) func unknownVersion(_ version: UInt32) throws {
    var file = GGUFBytes()
    file.version = version
    #expect(try reason(file) == .unsupportedVersion(version))
  }

  @Test func bigEndian() throws {
    var file = GGUFBytes()
    file.version = UInt32(3).byteSwapped
    #expect(try reason(file) == .bigEndian)
  }

  /// CVE-2024-21836, -21825: counts times sizes wrap.
  @Test(arguments: [UInt64.max, UInt64.max / 2, 1 << 32, 65_537]) func absurdCounts(_ count: UInt64) throws {
    var file = GGUFBytes()
    file.tensorCount = count
    #expect(try reason(file) == .tooMany(what: "tensors", count: count, limit: 65_536))
    file = GGUFBytes()
    file.keyCount = count
    #expect(try reason(file) == .tooMany(what: "keys", count: count, limit: 65_536))
  }

  /// Every way to cut a real file short, at every byte of its header.
  @Test func truncatedAtEveryByte() throws {
    let whole = try [UInt8](Fixtures.data("models/phi3-longrope/model.gguf"))
    let file = try TemporaryFile(whole)
    let dataStart = try #require(GGUFFile(path: file.path).tensors.values.map(\.bytes.lowerBound).min())
    for count in stride(from: 0, to: dataStart, by: 61) {
      let cut = try TemporaryFile(Array(whole[..<count]))
      #expect(throws: GGUFError.self, "cut at \(count)") { _ = try GGUFFile(path: cut.path) }
    }
    guard case .tensorOutsideFile = try reason(Array(whole.dropLast())) else {
      Issue.record("the last byte is missed")
      return
    }
  }

  /// CVE-2024-23496: a huge string length wraps an allocation.
  @Test(arguments: [UInt64.max, UInt64.max - 7, 1 << 62, 1_000_000]) func hugeString(_ length: UInt64) throws {
    var file = GGUFBytes()
    file.keys = [("general.name", .raw(type: 8, bytes: GGUFBytes.little(length)))]
    guard case .truncated("general.name", _, length, _) = try reason(file) else {
      Issue.record("not truncated")
      return
    }
  }

  /// CVE-2024-21802, -23605, CVE-2026-33298: array counts that wrap, for every element type.
  @Test(arguments: [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12] as [UInt32]) func hugeArray(_ type: UInt32) throws {
    for count in [UInt64.max, UInt64.max / 4, 1 << 61, 1 << 40] {
      var file = GGUFBytes()
      file.keys = [("a", .raw(type: 9, bytes: GGUFBytes.little(type) + GGUFBytes.little(count)))]
      guard case .truncated = try reason(file) else {
        Issue.record("count \(count) of type \(type) is accepted")
        return
      }
    }
  }

  private func strings(_ count: UInt64, _ bytes: [UInt8]) -> GGUFBytes {
    var file = GGUFBytes()
    file.keys = [("a", .raw(type: 9, bytes: GGUFBytes.little(UInt32(8)) + GGUFBytes.little(count) + bytes))]
    return file
  }

  /// A string of an array is checked before it can be asked for: its length, and the length of its length.
  @Test(arguments: [1, 2, 3] as [UInt64])
  func stringsThatLeaveTheFile(_ length: UInt64) throws {
    let good = GGUFBytes.string("x") + GGUFBytes.string("")
    for wrong in [UInt64.max, UInt64.max - 7, 1 << 63, 1 << 32, 100] {
      let file = strings(length, Array(good.prefix(9 * Int(length - 1))) + GGUFBytes.little(wrong))
      guard case .truncated("string of a", _, wrong, _) = try reason(file) else {
        Issue.record("a string of \(wrong) bytes is accepted")
        return
      }
    }
  }

  @Test func moreStringsThanThereAre() throws {
    for count in [3, 4] as [UInt64] {
      let bytes = strings(count, GGUFBytes.string("x") + GGUFBytes.string("y")).bytes
      let end = 24 + 9 + 4 + 4 + 8 + 18
      guard case .truncated = try reason(Array(bytes[..<end])) else {
        Issue.record("\(count) strings are accepted where there are two")
        return
      }
    }
  }

  /// Positions of strings are kept in 32 bits.
  @Test func moreBytesOfStringsThanCanBeToldApart() throws {
    let length = UInt64(UInt32.max)
    let file = try TemporaryFile(Array(strings(1, GGUFBytes.little(length)).bytes))
    #expect(truncate(file.path, 1 << 32 + 1 << 20) == 0)
    let error = try #require(throws: GGUFError.self) { _ = try GGUFFile(path: file.path) }
    #expect(error.reason == .tooMany(what: "bytes in a", count: length + 8, limit: Int(UInt32.max) - 8))
  }

  @Test func nestedArray() throws {
    var file = GGUFBytes()
    file.keys = [("a", .raw(type: 9, bytes: GGUFBytes.little(UInt32(9)) + GGUFBytes.little(UInt64(1))))]
    #expect(try reason(file) == .nestedArray(key: "a"))
  }

  @Test func unknownValueType() throws {
    var file = GGUFBytes()
    file.keys = [("a", .raw(type: 13, bytes: []))]
    #expect(try reason(file) == .unknownValueType(key: "a", type: 13))
  }

  @Test func duplicates() throws {
    var file = GGUFBytes()
    file.keys = [("a", .uint32(1)), ("a", .uint32(2))]
    #expect(try reason(file) == .duplicateKey("a"))
    file = GGUFBytes()
    file.tensors = [("t", [1], 0, 0), ("t", [1], 0, 0)]
    file.dataBytes = 64
    #expect(try reason(file) == .duplicateTensor("t"))
  }

  @Test(arguments: [0, 1, 7, 24, 0x8000_0000] as [UInt32]) func alignment(_ value: UInt32) throws {
    var file = GGUFBytes()
    file.keys = [("general.alignment", .uint32(value))]
    #expect(try reason(file) == .alignment(value: "\(value)"))
  }

  @Test func alignmentOfAnotherType() throws {
    var file = GGUFBytes()
    file.keys = [("general.alignment", .string("32"))]
    guard case .alignment = try reason(file) else {
      Issue.record("accepted")
      return
    }
  }

  /// Zero as a divisor, products and paddings that wrap (CVE-2025-53630, CVE-2026-27940), blocks that are cut.
  @Test(
    arguments: [
      [0], [1, 0], [UInt64.max], [1 << 63], [(1 << 42) + 1, 1 << 42], [UInt64(Int64.max), 2, 1, 1],
      [UInt64.max / 4 + 1],
      [UInt64(Int64.max) / 4 + 1],
    ] as [[UInt64]])
  func impossibleDimensions(_ dimensions: [UInt64]) throws {
    var file = GGUFBytes()
    file.tensors = [("t", dimensions, 0, 0)]
    #expect(try reason(file) == .tensorDimensions(tensor: "t", dimensions: dimensions))
  }

  @Test(arguments: zip([[31], [33, 2], [128]] as [[UInt64]], [2, 8, 12] as [UInt32]))
  func cutBlocks(_ dimensions: [UInt64], _ type: UInt32) throws {
    var file = GGUFBytes()
    file.tensors = [("t", dimensions, type, 0)]
    #expect(try reason(file) == .tensorDimensions(tensor: "t", dimensions: dimensions))
  }

  @Test func hugeBlockCount() throws {
    var file = GGUFBytes()
    file.tensors = [("t", [5_124_095_576_030_431_008], 2, 0)]
    guard case .tensorOutsideFile = try reason(file) else {
      Issue.record("accepted")
      return
    }
  }

  @Test(arguments: [0, 5, UInt32.max]) func rank(_ rank: UInt32) throws {
    var file = GGUFBytes()
    file.tensorCount = 1
    let header = Array(file.bytes[..<24])
    let bytes = header + GGUFBytes.string("t") + GGUFBytes.little(rank) + [UInt8](repeating: 1, count: 64)
    #expect(try reason(bytes) == .tensorRank(tensor: "t", rank: rank))
  }

  /// CVE-2026-7482: offset plus size beyond the file.
  @Test(arguments: [(UInt64.max - 31, 1), (1 << 40, 1), (32, 9), (64, 1)] as [(UInt64, UInt64)])
  func outsideFile(_ offset: UInt64, _ elements: UInt64) throws {
    var file = GGUFBytes()
    file.tensors = [("t", [elements], 0, offset)]
    file.dataBytes = 64
    guard case .tensorOutsideFile("t", offset, 4 * elements, 64) = try reason(file) else {
      Issue.record("accepted")
      return
    }
  }

  @Test(arguments: [(0, 0), (0, 32), (32, 0)] as [(UInt64, UInt64)])
  func overlap(_ first: UInt64, _ second: UInt64) throws {
    var file = GGUFBytes()
    file.tensors = [("a", [16], 0, first), ("b", [16], 0, second)]
    file.dataBytes = 128
    let names = first <= second ? ("a", "b") : ("b", "a")
    #expect(try reason(file) == .tensorsOverlap(names.0, names.1))
  }

  /// 64 GiB of zeros are eight billion empty strings.
  @Test func sparseStrings() throws {
    var file = GGUFBytes()
    file.keys = [("a", .raw(type: 9, bytes: GGUFBytes.little(UInt32(8)) + GGUFBytes.little(UInt64(1 << 32))))]
    let kept = try TemporaryFile(file.bytes)
    try #require(truncate(kept.path, 1 << 36) == 0)
    let error = try #require(throws: GGUFError.self) { _ = try GGUFFile(path: kept.path) }
    #expect(error.reason == .tooMany(what: "strings in a", count: 1 << 32, limit: 1 << 22))
  }

  @Test func misalignedOffset() throws {
    var file = GGUFBytes()
    file.tensors = [("t", [1], 0, 4)]
    file.dataBytes = 64
    #expect(try reason(file) == .tensorOffset(tensor: "t", offset: 4))
  }

  @Test(arguments: [4, 16, 24, 1000] as [UInt32]) func unsupportedType(_ type: UInt32) throws {
    var file = GGUFBytes()
    file.tensors = [("t", [256], type, 0)]
    file.dataBytes = 1024
    #expect(try reason(file) == .unsupportedTensorType(tensor: "t", type: type))
  }

  /// 2,000 files with random bytes changed, seeded: refused or read, never a trap.
  @Test func randomDamage() throws {
    let whole = try [UInt8](Fixtures.data("models/phi3-longrope/model.gguf"))
    var random = RandomSource(seed: 1)
    var refused = 0
    let header = 24_000
    for _ in 0..<2_000 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: 0..<header, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      let file = try TemporaryFile(bytes)
      do { _ = try TransformerWeights(file: GGUFFile(path: file.path)) } catch is GGUFError { refused += 1 }
    }
    #expect(refused > 0)
  }
}
