// SPDX-License-Identifier: Apache-2.0
import PetAPI
import Testing

@Suite("A response over HTTP/1.1, read")
struct ResponseReaderTests {
  private struct Read: Equatable {
    var status: Int?
    var body = ""
    var isComplete = false
    var mayEnd = false
  }

  private func read(_ pieces: [[UInt8]]) throws(ResponseReader.Malformed) -> Read {
    var reader = ResponseReader()
    var body: [UInt8] = []
    for piece in pieces { body += try reader.append(piece) }
    return Read(
      status: reader.status, body: String(decoding: body, as: UTF8.self), isComplete: reader.isComplete,
      mayEnd: reader.mayEnd)
  }

  private static let chunked =
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\nx: y\r\n\r\n3\r\nabc\r\nA;name=\"v\"\r\n0123456789\r\n000\r\nlast: 1\r\n\r\n"

  private static let whole: [(text: String, status: Int, body: String, isComplete: Bool)] = [
    ("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello", 200, "hello", true),
    ("HTTP/1.1 200 OK\r\nCONTENT-LENGTH:\t5 \r\n\r\nhello, and what is not part of it", 200, "hello", true),
    ("HTTP/1.1 404 \r\nContent-Length: 0\r\n\r\n", 404, "", true),
    ("HTTP/1.1 204\r\nx:\r\n\r\n", 204, "", true),
    ("HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n", 204, "", true),
    (chunked, 200, "abc0123456789", true),
    (
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 1\r\n\r\nx",
      201, "x", true
    ),
    ("HTTP/1.0 200 OK\r\nserver: caf\u{E9}\r\n\r\nuntil the end", 200, "until the end", false),
  ]

  @Test(
    "by its length, in chunks or to the end of the connection; the same wherever it is cut", arguments: whole.indices)
  func comes(_ index: Int) throws {
    let (text, status, body, isComplete) = Self.whole[index]
    let bytes = Array(text.utf8)
    let expected = Read(status: status, body: body, isComplete: isComplete, mayEnd: true)
    #expect(try read([bytes]) == expected)
    #expect(try read(bytes.map { [$0] }) == expected)
    for cut in bytes.indices { #expect(try read([Array(bytes[..<cut]), Array(bytes[cut...])]) == expected) }
  }

  @Test("a connection that ends early leaves nothing that is taken for whole")
  func early() throws {
    for text in [Self.chunked, Self.whole[0].text] {
      let bytes = Array(text.utf8)
      for count in bytes.indices { #expect(try !read([Array(bytes[..<count])]).mayEnd, "\(count) of \(text)") }
    }
  }

  private static let heads: [String] = [
    "\r\n", " HTTP/1.1 200 OK\r\n", "HTTP/2.0 200 OK\r\n", "HTTP/1.1  200 OK\r\n", "HTTP/1.1 20 OK\r\n",
    "HTTP/1.1 2000 OK\r\n", "HTTP/1.1 099 OK\r\n", "HTTP/1.1 +20 OK\r\n", "HTTP/1.1 200\tOK\r\n",
    "http/1.1 200 OK\r\n", "ICY 200 OK\r\n", "HTTP/1.1 200 OK\n", "HTTP/1.1 200 OK\r\r\n", "HTTP/1.1 200 O\u{0}K\r\n",
    "HTTP/1.1 101 Switching\r\n\r\n", "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n",
  ]

  private static let fields: [String] = [
    "no colon", ": x", "a : x", "a: x\r\n folded: y", "a: x\ny: z", "Content-Length: 5\r\nContent-Length: 5",
    "Transfer-Encoding: chunked\r\nContent-Length: 5", "Content-Length: 5\r\nTransfer-Encoding: chunked",
    "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", "Transfer-Encoding: gzip, chunked",
    "Transfer-Encoding: chunked, identity", "Transfer-Encoding: xchunked", "Transfer-Encoding: chun\u{212A}ed",
    "Transfer-Encoding:", "Content-Length: -1",
    "Content-Length: +5", "Content-Length: 5,5", "Content-Length: 5 5", "Content-Length: 0x5", "Content-Length:",
    "Content-Length: 5a", "Content-Length: 9223372036854775808", "Content-Length: 18446744073709551617",
    "Content-Length: \u{664}",
  ]

  @Test(
    "a head that is none, or whose body could be read in two ways, is refused",
    arguments: heads + fields.map { "HTTP/1.1 200 OK\r\n\($0)\r\n" })
  func refused(_ text: String) {
    #expect(throws: ResponseReader.Malformed()) { try read([Array(text.utf8)]) }
    #expect(throws: ResponseReader.Malformed()) { try read(text.utf8.map { [$0] }) }
  }

  @Test(
    "a chunk without a size that an Int holds, or without its end, is refused",
    arguments: [
      "\r\n", "g\r\n", "-1\r\n", "+1\r\n", "0x1\r\n", " 1\r\n", "1 \r\n", ";a\r\n", "1\n", "8000000000000000\r\n",
      "ffffffffffffffff\r\n", "10000000000000001\r\n", "3\r\nabcd\r\n", "3\r\nabc\n", "3\r\nabc3\r\n",
    ])
  func chunks(_ text: String) {
    let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    #expect(throws: ResponseReader.Malformed()) { try read([Array((head + text).utf8)]) }
    #expect(throws: ResponseReader.Malformed()) { try read((head + text).utf8.map { [$0] }) }
  }

  @Test("a size takes no memory: of the largest there may be, what came is handed on")
  func largest() throws {
    let length = "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\nabc"
    let chunk = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0007fffffffffffffff\r\nabc"
    for text in [length, chunk] { #expect(try read([Array(text.utf8)]) == Read(status: 200, body: "abc")) }
  }

  @Test(
    "what never ends is refused once it is larger than a head may be",
    arguments: [
      ("HTTP/1.1 200 OK\r\n", "x: y\r\n"), ("HTTP/1.1 200 ", "x"), ("HTTP/1.1 200 OK\r\nx: ", "y"),
      ("", "HTTP/1.1 100 Continue\r\n\r\n"), ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;", "x"),
      ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "0"),
      ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", "x: y\r\n"),
    ])
  func endless(_ start: String, _ more: String) throws {
    var reader = ResponseReader()
    _ = try reader.append(start.utf8)
    var taken = 0
    #expect(throws: ResponseReader.Malformed()) {
      while taken < 1 << 20 {
        let body = try reader.append(more.utf8)
        #expect(body.isEmpty)
        taken += more.utf8.count
      }
    }
    #expect(taken <= ResponseReader.largestHead)
  }

  @Test("each chunk has room for its size: a stream of any length is read")
  func manyChunks() throws {
    var reader = ResponseReader()
    _ = try reader.append("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
    var body: [UInt8] = []
    for _ in 0..<20_000 { body += try reader.append("1\r\nx\r\n".utf8) }
    #expect(body == [UInt8](repeating: UInt8(ascii: "x"), count: 20_000))
    #expect(!reader.isComplete)
    _ = try reader.append("0\r\n\r\n".utf8)
    #expect(reader.isComplete)
  }
}
