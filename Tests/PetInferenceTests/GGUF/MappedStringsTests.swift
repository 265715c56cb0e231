// SPDX-License-Identifier: Apache-2.0
import PetInference
import Testing

/// Arrays stay in the mapped file, and say what it holds.
@Suite struct MappedStringsTests {
  private static let texts = ["x", "", "two words", "\u{1F43E}", String(repeating: "long ", count: 100)]

  private static func file() throws -> TemporaryFile {
    var file = GGUFBytes()
    file.keys = [
      ("a", array(of: 8, texts.count, texts.reduce(into: []) { $0 += GGUFBytes.string($1) })),
      ("none", array(of: 8, 0, [])),
      // After strings of odd lengths nothing is aligned.
      ("numbers", array(of: 5, 2, [1, 0, 0, 0, 254, 255, 255, 255])),
      ("floats", array(of: 6, 1, [0, 0, 128, 63])),
    ]
    return try TemporaryFile(file.bytes)
  }

  private static func array(of type: UInt32, _ count: Int, _ elements: [UInt8]) -> GGUFBytes.Value {
    .raw(type: 9, bytes: GGUFBytes.little(type) + GGUFBytes.little(UInt64(count)) + elements)
  }

  /// Of the published exploits: scores that were declared as bytes and read as floats, four times as many as there are.
  @Test(arguments: [0, 1, 2, 5, 7, 10, 12] as [UInt32]) func arraysOfAnotherTypeAreNotRead(_ type: UInt32) throws {
    var file = GGUFBytes()
    file.keys = [("a", Self.array(of: type, 1, [1, 0, 0, 0, 0, 0, 0, 0]))]
    let temporary = try TemporaryFile(file.bytes)
    // The rest of an element that was shorter reads as further bytes of the header, which tells nothing here.
    guard let opened = try? GGUFFile(path: temporary.path) else { return }
    let error = try #require(throws: GGUFError.self) { try opened.floats("a") }
    #expect(error.reason == .keyType(key: "a", expected: "an array of 32-bit floats"))
  }

  @Test func stringsAreThoseOfTheFile() throws {
    let temporary = try Self.file()
    let file = try GGUFFile(path: temporary.path)
    let strings = try #require(try file.strings("a"))
    #expect((0..<strings.count).map { String(decoding: strings[$0], as: UTF8.self) } == Self.texts)
    #expect(try file.strings("none")?.count == 0)
    #expect(try file.strings("missing") == nil)
    #expect(try file.int32s("numbers") == [1, -2])
    #expect(try file.floats("floats") == [1])
    #expect(file.metadata["a"] == .texts(Self.texts.map { Array($0.utf8) }))
    #expect(file.metadata["a"] != .texts(Self.texts.reversed().map { Array($0.utf8) }))
    #expect(throws: GGUFError.self) { try file.strings("numbers") }
    #expect(throws: GGUFError.self) { try file.floats("numbers") }
    #expect(throws: GGUFError.self) { try file.int32s("a") }
  }

  @Test func noneAreCopied() throws {
    let temporary = try Self.file()
    let file = try GGUFFile(path: temporary.path)
    let memory = try #require(try file.strings("a")).bytes.memory
    let (start, end) = (try #require(file.mapping.bytes.baseAddress), try #require(memory.baseAddress))
    #expect(end >= start && end + memory.count <= start + file.mapping.bytes.count)
  }

  /// Whoever has the strings has the mapping.
  @Test func stringsOutliveTheFileObject() throws {
    var temporary: TemporaryFile? = try Self.file()
    let path = try #require(temporary?.path)
    let strings = try #require(try GGUFFile(path: path).strings("a"))
    temporary = nil
    #expect((0..<strings.count).map { String(decoding: strings[$0], as: UTF8.self) } == Self.texts)
  }
}
