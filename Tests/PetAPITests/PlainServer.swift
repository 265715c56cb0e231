// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import Testing

/// A Unix socket behind which a test does whatever it wants with each connection, on a thread of its own.
final class PlainServer: Sendable {
  let path = "/tmp/pet-plain-\(UInt64.random(in: 0 ... .max)).sock"
  private let listener: Int32

  init(_ serve: @escaping @Sendable (PlainConnection) -> Void) throws {
    listener = try Self.listen(at: path, backlog: 64)
    Thread.detachNewThread { [listener] in
      // What another thread closes could be another's descriptor by the time that this one accepts.
      defer { close(listener) }
      while case let descriptor = accept(listener, nil, nil), descriptor >= 0 {
        Thread.detachNewThread {
          serve(PlainConnection(descriptor: descriptor))
          close(descriptor)
        }
      }
    }
  }

  static func listen(at path: String, backlog: Int32) throws -> Int32 {
    let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let isBound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
    try #require(isBound && Glibc.listen(listener, backlog) == 0)
    return listener
  }

  func stop() {
    shutdown(listener, Int32(SHUT_RDWR))
    unlink(path)
  }
}

struct PlainConnection: Sendable {
  let descriptor: Int32

  /// False: nobody reads any more.
  @discardableResult
  func send(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  @discardableResult
  func send(_ text: String) -> Bool { send(Array(text.utf8)) }

  /// A response with its length.
  @discardableResult
  func answer(_ status: String, _ body: String) -> Bool {
    send("HTTP/1.1 \(status)\r\ncontent-length: \(body.utf8.count)\r\n\r\n\(body)")
  }

  /// What comes next; empty: nothing more does.
  func receive() -> String {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
  }

  /// A request without a body, or one that is sent with its head.
  func request() -> String {
    var text = ""
    while !text.contains("\r\n\r\n"), case let more = receive(), !more.isEmpty { text += more }
    return text
  }

  /// How many bytes came until nothing more does, or `most`.
  func drain(_ most: Int = .max) -> Int {
    var count = 0
    while count < most, case let more = receive().utf8.count, more > 0 { count += more }
    return count
  }

  /// Sends no more.
  func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }
}
