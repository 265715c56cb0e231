// SPDX-License-Identifier: Apache-2.0
/// A socket that reached, or may have reached, another machine, and what was computed when it was first seen.
public struct SocketReport: Sendable, Equatable, CustomStringConvertible {
  public let socket: OpenSocket
  /// Models that were computing then, by name; none: it came while nothing was computed.
  public let models: [String]
  /// When it was seen, in seconds since 1970.
  public let time: Int64

  package init(_ socket: OpenSocket, models: [String], time: Int64) {
    self.socket = socket
    self.models = models
    self.time = time
  }

  public var description: String {
    let kind = socket.kind.isEmpty ? "of an unknown kind" : socket.kind
    let ends = socket.remote.isEmpty ? socket.local : socket.remote
    let place = ends.isEmpty ? "" : " \(socket.remote.isEmpty ? "at" : "to") \(ends)"
    let cause = models.isEmpty ? "while nothing was computed" : "while \(models.joined(separator: ", ")) computed"
    return "a socket \(kind)\(place), first seen \(cause)"
  }
}
