// SPDX-License-Identifier: Apache-2.0
/// Who may ask. Pure.
package struct AccessPolicy: Sendable {
  package enum Transport: Sendable, Equatable {
    /// The user at the other end, as the kernel says; nil: unknown.
    case unix(user: UInt32?)
    /// The port at which the client came in.
    case loopback(port: Int)
  }

  package struct Facts: Sendable {
    package var transport: Transport
    package var host: String?
    package var origin: String?
    package var authorization: String?

    package init(transport: Transport, host: String? = nil, origin: String? = nil, authorization: String? = nil) {
      self.transport = transport
      self.host = host
      self.origin = origin
      self.authorization = authorization
    }
  }

  /// Who asks, as far as it matters.
  package enum Client: Hashable, Sendable {
    case user(UInt32)
    /// Which of the tokens.
    case token(Int)
  }

  package enum Decision: Sendable, Equatable {
    case allowed(Client)
    /// Another user's process.
    case anotherUser
    /// A name that is not this machine's: a page of somebody else's may have been led here (DNS rebinding).
    case foreignHost
    /// A page of somebody else's.
    case foreignOrigin
    case noToken
    case wrongToken
  }

  private let user: UInt32
  private let tokens: [AccessToken]

  /// - Parameter tokens: of which clients over TCP must bring one.
  package init(user: UInt32, tokens: [AccessToken]) {
    self.user = user
    self.tokens = tokens
  }

  package func decide(_ facts: Facts) -> Decision {
    switch facts.transport {
    case .unix(let other):
      // A page cannot reach it; root can do anything anyway.
      guard let other, other == user || other == 0 else { return .anotherUser }
      return .allowed(.user(other))
    case .loopback(let port):
      let names = ["127.0.0.1", "localhost", "[::1]"]
      let hosts = names.map { "\($0):\(port)" } + (port == 80 ? names : [])
      guard let host = facts.host?.lowercased(), names.contains(Self.name(of: host)) else { return .foreignHost }
      if let origin = facts.origin, !hosts.map({ "http://" + $0 }).contains(origin.lowercased()) {
        return .foreignOrigin
      }
      guard let authorization = facts.authorization else { return .noToken }
      let parts = authorization.split(separator: " ", maxSplits: 1)
      guard parts.count == 2, parts[0].lowercased() == "bearer" else { return .noToken }
      return index(of: Array(parts[1].utf8)).map { .allowed(.token($0)) } ?? .wrongToken
    }
  }

  /// Without the port, which may be another's that leads here: a page of somebody else's is told by its name.
  private static func name(of host: String) -> String {
    guard let colon = host.lastIndex(of: ":"), case let port = host[colon...].dropFirst(), !port.isEmpty,
      port.allSatisfy({ $0.isASCII && $0.isNumber })
    else { return host }
    return String(host[..<colon])
  }

  /// The one pet that a client may reach; nil: it may ask for anything.
  package func pet(of client: Client) -> String? {
    guard case .token(let index) = client, tokens.indices.contains(index) else { return nil }
    return tokens[index].pet
  }

  /// In a time that says nothing of how much was right.
  private func index(of given: [UInt8]) -> Int? {
    var found: Int?
    for (index, token) in tokens.map(\.secret).enumerated() where !token.isEmpty && given.count == token.count {
      if zip(given, token).reduce(0, { $0 | ($1.0 ^ $1.1) }) == 0 { found = index }
    }
    return found
  }
}
