// SPDX-License-Identifier: Apache-2.0
/// Where a server can be reached.
package enum ListeningAddress: Sendable, Equatable, CustomStringConvertible {
  /// For the owner alone.
  case unix(path: String)
  /// On 127.0.0.1; 0: any free port.
  case loopback(port: Int)
  /// A socket that listens already, opened by whoever started the daemon.
  case inherited(Int32)

  package var description: String {
    switch self {
    case .unix(let path): path
    case .loopback(let port): "127.0.0.1:\(port)"
    case .inherited(let descriptor): "socket \(descriptor)"
    }
  }
}
