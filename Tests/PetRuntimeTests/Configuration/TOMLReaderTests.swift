// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PetRuntime
import Testing

/// Against what Python's tomllib makes of the same documents (Goldens/make_toml_goldens.py).
@Suite("TOML")
struct TOMLReaderTests {
  struct Document: Decodable, Sendable {
    let text: String
    /// Path, type, value; nil where the document is refused.
    let entries: [Row]?

    struct Row: Decodable, Sendable {
      let path: [String]
      let type: String
      let value: String

      init(from decoder: any Decoder) throws {
        var fields = try decoder.unkeyedContainer()
        path = try fields.decode([String].self)
        type = try fields.decode(String.self)
        value = try fields.decode(String.self)
      }
    }
  }

  private static func documents() throws -> [Document] {
    let path = String(#filePath.dropLast("TOMLReaderTests.swift".count)) + "Goldens/documents.json"
    return try JSONDecoder().decode([Document].self, from: Data(contentsOf: URL(filePath: path)))
  }

  private func matches(_ value: TOMLScalar, _ row: Document.Row) -> Bool {
    switch value {
    // By scalars: "é" in one or in two is not the same text.
    case .string(let text): row.type == "string" && text.unicodeScalars.elementsEqual(row.value.unicodeScalars)
    case .integer(let number): row.type == "integer" && row.value == "\(number)"
    case .float(let number):
      row.type == "float" && (number.isNaN ? row.value == "nan" : Double(row.value)?.bitPattern == number.bitPattern)
    case .boolean(let flag): row.type == "boolean" && row.value == "\(flag)"
    }
  }

  @Test("hundreds of documents are read, or refused, as tomllib does it")
  func goldens() throws {
    let documents = try Self.documents()
    #expect(documents.count { $0.entries != nil } > 150 && documents.count { $0.entries == nil } > 150)
    for document in documents {
      let text = document.text
      guard let expected = document.entries else {
        #expect(throws: TOMLError.self, "\(text.debugDescription)") { try TOMLReader.read(Array(text.utf8)) }
        continue
      }
      var read = try #require(try? TOMLReader.read(Array(text.utf8)), "\(text.debugDescription)")
      #expect(read.count == expected.count, "\(text.debugDescription)")
      for row in expected {
        let index = try #require(read.firstIndex { $0.path == row.path }, "\(text.debugDescription)")
        #expect(matches(read.remove(at: index).value, row), "\(text.debugDescription)")
      }
    }
  }

  @Test("every key and value is known by its place")
  func places() throws {
    let entries = try TOMLReader.read(Array("# é\r\n\n  a = 'é'\n[b]\n\tc . d\t=\t0x10 # x\n".utf8))
    #expect(entries.map(\.path) == [["a"], ["b", "c", "d"]])
    #expect(entries.map(\.value) == [.string("é"), .integer(16)])
    #expect(entries.map(\.keyPosition) == [.init(line: 3, column: 3), .init(line: 5, column: 2)])
    #expect(entries.map(\.valuePosition) == [.init(line: 3, column: 7), .init(line: 5, column: 10)])
  }

  @Test(
    "what is wrong, and where",
    arguments: [
      ("a = 1\nb 2", 2, 3, "= is expected here"),
      ("é = 1", 1, 1, "a key is expected here"),
      ("a = 'é' x", 1, 9, "the end of the line is expected here"),
      ("a = 'x", 1, 5, "this string does not end; close it with '"),
      ("a = 'x\u{7F}'", 1, 7, "the control character U+007F cannot stand here; in a string write \\u007F"),
      ("\na = \"\\q\"", 2, 6, "\\q is no escape; write \\\\ for a backslash, or use ' instead of \""),
      ("a = four", 1, 5, "'four' is no value; strings stand in quotes"),
      ("a = [1]", 1, 5, "an array is no value of any setting; give a string, a number, true or false"),
      ("a = 99999999999999999999", 1, 5, "99999999999999999999 does not fit in 64 bits; give a smaller number"),
      ("[a]\nb = 1\n\n[a]", 4, 1, "a is already there in line 1; keep one of them"),
      ("[a]\nb.c = 1\nb = 2", 3, 1, "a.b is already there in line 2; keep one of them"),
      ("a.b.c.d.e.f.g.h.i = 1", 1, 17, "a key of more than 8 parts; no setting has so many"),
      ("\u{FEFF}a = 1", 1, 1, "the file begins with a byte order mark; save it as UTF-8 without one"),
    ])
  func refusals(text: String, line: Int, column: Int, message: String) throws {
    let error = #expect(throws: TOMLError.self) { try TOMLReader.read(Array(text.utf8)) }
    #expect(error?.position == SourcePosition(line: line, column: column), "\(text.debugDescription)")
    #expect(error?.description == message)
  }

  @Test(
    "bytes that are no UTF-8",
    arguments: [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82]] as [[UInt8]])
  func notUTF8(bytes: [UInt8]) throws {
    let error = #expect(throws: TOMLError.self) { try TOMLReader.read(Array("a = 1\nb = '".utf8) + bytes) }
    #expect(error?.problem == .notUTF8 && error?.position == SourcePosition(line: 2, column: 6))
  }

  /// Nothing here may trap or take long, whatever the bytes are.
  @Test func noise() throws {
    var state: UInt64 = 42
    func next(_ bound: UInt64) -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (state >> 33) % bound
    }
    let letters = Array("ab.=[]{}'\"\\\n\r\t #01_-+eux,:é".utf8)
    for _ in 0..<20_000 {
      let bytes = (0..<next(40)).map { _ in
        next(30) == 0 ? UInt8(next(256)) : letters[Int(next(UInt64(letters.count)))]
      }
      _ = try? TOMLReader.read(bytes)
    }
  }
}
