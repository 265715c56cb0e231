// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc

/// A client that sends whatever bytes it is given. It waits on threads of its own: tests that block the pool of tasks would keep the
/// server from answering.
package final class RawClient: @unchecked Sendable {  // one caller at a time
  package struct Failure: Error { package let code: Int32 }

  private var descriptor: Int32

  package convenience init(_ path: String) throws {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    try self.init(AF_UNIX, &address)
  }

  /// On 127.0.0.1.
  package convenience init(port: UInt16) throws {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    try self.init(AF_INET, &address)
  }

  private init<Address>(_ family: Int32, _ address: inout Address) throws {
    descriptor = socket(family, Int32(SOCK_STREAM.rawValue), 0)
    var limit = timeval(tv_sec: 20, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
      }
    }
    guard result == 0 else { throw Failure(code: errno) }
  }

  deinit { close() }

  package func close() {
    guard descriptor >= 0 else { return }
    Glibc.close(descriptor)
    descriptor = -1
  }

  /// Sends no more, and still reads.
  package func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

  private func waiting<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: body()) }
    }
  }

  package func send(_ text: String) async { await waiting { self.sendNow(text) } }

  private func sendNow(_ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      // A server that has refused reads no more.
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  /// One whole response, by its length; of others all there is until the end.
  package func exchange(_ request: String) async -> String {
    await send(request)
    let isHead = request.hasPrefix("HEAD")
    return await receive { text in
      guard let end = text.firstRange(of: "\r\n\r\n") else { return false }
      guard !isHead else { return true }
      let head = text[..<end.lowerBound].lowercased()
      guard let start = head.firstRange(of: "content-length: ") else { return false }
      let length = Int(head[start.upperBound...].prefix { $0.isNumber }) ?? 0
      return text[end.upperBound...].utf8.count >= length
    }
  }

  package func receive(until mark: String) async -> String { await receive { $0.contains(mark) } }

  /// Until the other end closes.
  package func receive() async -> String { await receive { _ in false } }

  /// Whether nothing more comes.
  package var isAtEnd: Bool { get async { await receive().isEmpty } }

  private func receive(_ isEnough: @escaping @Sendable (String) -> Bool) async -> String {
    await waiting { self.receiveNow(isEnough) }
  }

  private func receiveNow(_ isEnough: (String) -> Bool) -> String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while !isEnough(String(decoding: bytes, as: UTF8.self)) {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { break }
      bytes += buffer[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
