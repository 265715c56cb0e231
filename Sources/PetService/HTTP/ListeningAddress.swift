/// Where a server can be reached.
package enum ListeningAddress: Sendable, Equatable, CustomStringConvertible {
  /// For the owner alone.
  case unix(path: String)
  /// On 127.0.0.1; 0: any free port.
  case loopback(port: Int)

  package var description: String {
    switch self {
    case .unix(let path): path
    case .loopback(let port): "127.0.0.1:\(port)"
    }
  }
}
