// SPDX-License-Identifier: Apache-2.0
import CSandbox
import Glibc
import PetFiles
import Synchronization

/// A service of this machine, by its Unix socket: whoever speaks to it knows who answers.
///
/// Before anything is said, the kernel tells whose process listens there (`SO_PEERCRED`, unix(7)): it must be this user's, or root's, who may
/// read everything anyway. For root it may be the owner of the person's folder too, whose petd it is. The person's folder and that of the
/// socket must not be others' to write.
package struct LocalService: Sendable, Equatable {
  package enum Failure: Error, Equatable {
    /// Another user listens there.
    case stranger(UInt32)
    /// The number of the error. Of a broker: `EPIPE`, it has ended; `ETIMEDOUT`, it does not answer, and is not asked again: `ENOTCONN`.
    case system(Int32)
  }

  /// The process that connects could not be started.
  package struct BrokerError: Error, Equatable, CustomStringConvertible {
    package let code: Int32

    package var description: String {
      let hint = SystemLimit(ofStart: code)?.advice ?? "end some programs"
      return
        "the process that connects with petd cannot be started: \(Sandbox.reason(code)); \(hint), or use --no-service"
    }
  }

  package let socket: String
  /// Who may answer.
  package let users: [UInt32]
  private let home: String?

  private static let brokeredSocket = Mutex<String?>(nil)

  /// - Parameter home: the person's folder; nil where none is known.
  package init(socket: String, home: String?) {
    self.socket = socket
    self.home = home
    var users: Set<UInt32> = [0, geteuid()]
    var status = stat()
    if geteuid() == 0, let home, stat(home, &status) == 0 { users.insert(status.st_uid) }
    self.users = users.sorted()
  }

  /// - Throws: ``FolderTrustError``.
  package func checkFolders() throws(FolderTrustError) {
    if let home { try FolderTrust.check(home) }
    if folder != home { try FolderTrust.check(folder, allowsSticky: true) }
  }

  /// Where the socket lies.
  private var folder: String {
    guard let slash = socket.lastIndex(of: "/") else { return "." }
    return slash == socket.startIndex ? "/" : String(socket[..<slash])
  }

  /// A connection that does not block, on which nothing was said yet. Where there is a broker for this socket, it makes it.
  package func connect() throws(Failure) -> Int32 {
    var peer = UInt32.max
    let result =
      Self.brokeredSocket.withLock { brokered -> Int32? in
        brokered == socket ? ps_broker_connect(&peer) : nil
      } ?? ps_connect(socket, users, users.count, &peer)
    guard result != -Int32(PS_STRANGER) else { throw .stranger(peer) }
    guard result >= 0 else { throw .system(-result) }
    Sandbox.expectPeer(of: result)
    return result
  }

  /// Whether somebody listens there, whoever it is, who may not answer. Says nothing, and waits for nobody.
  package var isListening: Bool {
    do throws(Failure) {
      try close(connect())
      return true
    } catch {
      switch error {
      // With many before this one in the queue there is no place, and somebody all the same.
      case .stranger, .system(EAGAIN): return true
      case .system: return false
      }
    }
  }

  /// Whether the socket is there, and whoever made it has ended: the kernel refuses connections to it.
  package var isAbandoned: Bool {
    do throws(Failure) {
      try close(connect())
      return false
    } catch {
      return error == .system(ECONNREFUSED)
    }
  }

  /// Starts a process of its own, the broker, which makes the connections of this one when it is sealed. It hears no word: one byte asks for
  /// a connection, and it can make no other. Before the first thread, and after `Sandbox.confine`, which binds the broker too.
  package func startBroker() throws(BrokerError) {
    let error = ps_broker_start(socket, users, users.count)
    guard error == 0 else { throw BrokerError(code: error) }
    Self.brokeredSocket.withLock { $0 = socket }
  }

  /// Who is sealed without a service needs none, and connects by itself until then.
  package static func endBroker() {
    brokeredSocket.withLock { socket in
      guard socket != nil else { return }
      socket = nil
      ps_broker_end()
    }
  }
}
