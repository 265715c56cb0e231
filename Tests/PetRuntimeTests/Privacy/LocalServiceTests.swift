// SPDX-License-Identifier: Apache-2.0
import CSandbox
import Glibc
import PetFiles
import PetRuntime
import Testing

@Suite("A service of this machine: who answers", .serialized)
struct LocalServiceTests {
  /// A socket that listens at `path`: its descriptor.
  private func listen(at path: String) throws -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let isBound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
    try #require(isBound && Glibc.listen(descriptor, 8) == 0)
    return descriptor
  }

  /// What was said there by whoever came first; nil: nobody came.
  private func heard(_ listener: Int32) -> [UInt8]? {
    var ready = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
    guard poll(&ready, 1, 0) == 1 else { return nil }
    let came = accept(listener, nil, nil)
    defer { close(came) }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = recv(came, &bytes, bytes.count, Int32(MSG_DONTWAIT))
    return Array(bytes.prefix(max(0, count)))
  }

  @Test("a folder is trusted that is one's own or root's, and that nobody else may write")
  func verdicts() {
    let (ada, bob): (UInt32, UInt32) = (1000, 1001)
    for mode: UInt32 in [0o700, 0o755, 0o711, 0o500] {
      #expect(FolderTrust.decide(owner: ada, mode: mode, user: ada) == .trusted)
      #expect(FolderTrust.decide(owner: 0, mode: mode, user: ada) == .trusted)
      #expect(FolderTrust.decide(owner: bob, mode: mode, user: ada) == .foreign)
      // Root in another's home makes files of that one.
      #expect(FolderTrust.decide(owner: bob, mode: mode, user: 0) == .trusted)
    }
    for mode: UInt32 in [0o770, 0o775, 0o720, 0o702, 0o777, 0o1777] {
      for user in [ada, 0] { #expect(FolderTrust.decide(owner: ada, mode: mode, user: user) == .writable) }
      #expect(FolderTrust.decide(owner: bob, mode: mode, user: ada) == .foreign)
      let shared = FolderTrust.decide(owner: ada, mode: mode, user: ada, allowsSticky: true)
      #expect(shared == (mode == 0o1777 ? .trusted : .writable))
    }
    // As /tmp is root's: another's is not good enough.
    #expect(FolderTrust.decide(owner: bob, mode: 0o1777, user: ada, allowsSticky: true) == .foreign)
  }

  @Test("a folder above is trusted that nobody else can move another one into")
  func above() throws {
    let (ada, bob): (UInt32, UInt32) = (1000, 1001)
    for (owner, mode, expected): (UInt32, UInt32, FolderTrust.Verdict) in [
      (ada, 0o755, .trusted), (0, 0o1777, .trusted), (ada, 0o775, .trusted), (65534, 0o755, .trusted),
      (bob, 0o755, .foreign), (ada, 0o777, .writable), (0, 0o777, .writable), (65534, 0o777, .writable),
    ] {
      #expect(FolderTrust.decideAbove(owner: owner, mode: mode, user: ada) == expected)
    }
    let folder = try TemporaryFolder()
    let (open, home) = (folder.path + "/open", folder.path + "/open/a/home")
    for path in [open, open + "/a", home] { try Folder.create(path, mode: 0o700) }
    try FolderTrust.check(home)
    #expect(chmod(open, 0o777) == 0)
    #expect(throws: FolderTrustError.writable(path: open, mode: 0o777)) { try FolderTrust.check(home) }
    #expect(chmod(open, 0o1777) == 0)
    try FolderTrust.check(home)
  }

  @Test("a folder is looked at each time, through links; what is not there is for others to tell")
  func folders() throws {
    let folder = try TemporaryFolder()
    let (path, link) = (folder.path + "/home", folder.path + "/link")
    try FolderTrust.check(path)
    try Folder.create(path, mode: 0o700)
    #expect(symlink(path, link) == 0)
    for name in [path, link] { try FolderTrust.check(name) }
    #expect(chmod(path, 0o720) == 0)
    for name in [path, link] {
      #expect(throws: FolderTrustError.writable(path: name, mode: 0o720)) { try FolderTrust.check(name) }
    }
    #expect(chmod(path, 0o750) == 0)
    try FolderTrust.check(link)
  }

  @Test("a connection is made with one's own service, without a word; what cannot be says why")
  func connects() throws {
    let folder = try TemporaryFolder()
    let service = LocalService(socket: folder.path + "/a.sock", home: folder.path)
    #expect(throws: LocalService.Failure.system(ENOENT)) { try service.connect() }
    #expect(service.users.contains(geteuid()) && service.users.contains(0) && service.users.count <= 2)
    #expect(!service.isListening)
    let listener = try listen(at: service.socket)
    #expect(service.isListening)
    #expect(heard(listener) == [])
    let connection = try service.connect()
    #expect(fcntl(connection, F_GETFD) & FD_CLOEXEC != 0 && fcntl(connection, F_GETFL) & O_NONBLOCK != 0)
    #expect(heard(listener) == [])
    close(connection)
    close(listener)
    #expect(throws: LocalService.Failure.system(ECONNREFUSED)) { try service.connect() }
    #expect(!service.isListening)
    let long = LocalService(socket: folder.path + "/" + String(repeating: "x", count: 120), home: nil)
    #expect(throws: LocalService.Failure.system(ENAMETOOLONG)) { try long.connect() }
  }

  @Test("the folders are the person's and the socket's")
  func checked() throws {
    let (home, other) = (try TemporaryFolder(), try TemporaryFolder())
    let service = LocalService(socket: other.path + "/a.sock", home: home.path)
    try service.checkFolders()
    for (folder, mode, isGood) in [
      (home, 0o770, false), (home, 0o1777, false), (other, 0o770, false), (other, 0o1777, true), (other, 0o755, true),
    ] as [(TemporaryFolder, mode_t, Bool)] {
      #expect(chmod(folder.path, mode) == 0)
      if isGood {
        try service.checkFolders()
      } else {
        #expect(throws: FolderTrustError.writable(path: folder.path, mode: mode)) { try service.checkFolders() }
      }
      #expect(chmod(folder.path, 0o700) == 0)
    }
  }

  @Test("another user's socket is told nothing")
  func stranger() throws {
    let folder = try TemporaryFolder()
    let listener = try listen(at: folder.path + "/a.sock")
    defer { close(listener) }
    // Whoever listens is looked for among users of whom it is none.
    var peer: UInt32 = 7
    for users: [UInt32] in [[65_533, 65_532], []] {
      let result = ps_connect(folder.path + "/a.sock", users, users.count, &peer)
      #expect(result == -Int32(PS_STRANGER) && peer == geteuid())
      #expect(heard(listener) == [])
    }
    guard geteuid() == 0 else { return }
    // For root the owner of the person's folder may answer as well.
    #expect(chown(folder.path, 65_534, 65_534) == 0)
    #expect(LocalService(socket: folder.path + "/a.sock", home: folder.path).users == [0, 65_534])
  }

  @Test("a broker hands connections over, of that service alone, and ends with whom it served")
  func broker() throws {
    let folder = try TemporaryFolder()
    let service = LocalService(socket: folder.path + "/a.sock", home: nil)
    try service.startBroker()
    defer { LocalService.endBroker() }
    #expect(throws: LocalService.Failure.system(ENOENT)) { try service.connect() }
    var listener = try listen(at: service.socket)
    for _ in 0..<3 {
      let connection = try service.connect()
      #expect(fcntl(connection, F_GETFD) & FD_CLOEXEC != 0 && fcntl(connection, F_GETFL) & O_NONBLOCK != 0)
      #expect(write(connection, "hi", 2) == 2)
      #expect(heard(listener) == Array("hi".utf8))
      close(connection)
    }
    // A service that comes again is found again.
    close(listener)
    #expect(throws: LocalService.Failure.system(ECONNREFUSED)) { try service.connect() }
    unlink(service.socket)
    listener = try listen(at: service.socket)
    defer { close(listener) }
    try close(service.connect())
    #expect(throws: LocalService.BrokerError.self) { try service.startBroker() }
    LocalService.endBroker()
    var peer: UInt32 = 0
    let late = ps_broker_connect(&peer)
    #expect(late == -ENOTCONN)
    try close(service.connect())
  }
}
