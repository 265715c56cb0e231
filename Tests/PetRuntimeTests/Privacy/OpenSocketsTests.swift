import FoundationEssentials
import Glibc
import PetRuntime
import Testing

@Suite("Open sockets, from a tree of files as proc(5) has them")
struct OpenSocketsTests {
  private let root: TemporaryFolder

  init() throws {
    root = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: root.path + "/proc/self/fd", withIntermediateDirectories: true)
  }

  private func open(_ number: Int, _ target: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: "\(root.path)/proc/self/fd/\(number)", withDestinationPath: target)
  }

  private func table(_ name: String, _ lines: [String]) throws {
    try root.write("proc/self/net/\(name)", (["header"] + lines).joined(separator: "\n") + "\n")
  }

  private func line(_ local: String, _ remote: String, _ state: String, _ inode: Int) -> String {
    "   0: \(local) \(remote) \(state) 00000000:00000000 00:00000000 00000000     0        0 \(inode) 1 0000000000000000 100 0 0 10 0"
  }

  @Test("nothing is told where there is no such file system")
  func absent() throws {
    #expect(OpenSockets.read(root: try TemporaryFolder().path) == nil)
    #expect(PrivacyStatus(nil).state == .failed && PrivacyStatus(nil).badge == "⚠️ Privacy Check Failed")
  }

  @Test("each is known by where it reaches; those of others, and files, are not looked at")
  func reaches() throws {
    try open(0, "/dev/null")
    for number in 11...19 { try open(number, "socket:[\(number)]") }
    try table(
      "unix",
      ["0000: 00000002 00000000 00010000 0001 01 11 /run/pet.sock", "0000: 00000003 00000000 00000000 0001 03 99"])
    try table(
      "tcp",
      [
        line("0100007F:1F90", "00000000:0000", "0A", 12), line("0100007F:1F90", "0100007F:C350", "01", 13),
        line("0A00020A:9C40", "22D8B85D:01BB", "01", 14), line("0100007F:0050", "22D8B85D:01BB", "01", 98),
      ])
    try table(
      "tcp6",
      [
        line("00000000000000000000000001000000:1F90", "00000000000000000000000000000000:0000", "0A", 15),
        line("0000000000000000FFFF00000100007F:1F91", "00000000000000000000000000000000:0000", "0A", 16),
        line("B80D0120000000000000000001000000:1F91", "00000000000000000000000000000000:0000", "07", 17),
      ])
    try table("udp", [line("00000000:0044", "00000000:0000", "07", 18)])
    let sockets = try #require(OpenSockets.read(root: root.path))
    let reach = Dictionary(uniqueKeysWithValues: sockets.sockets.map { ($0.inode, $0.reach) })
    #expect(
      reach == [
        11: .unix, 12: .loopback, 13: .loopback, 14: .internet, 15: .loopback, 16: .loopback, 17: .internet,
        18: .internet,
        19: .unknown,
      ])
    func socket(_ inode: UInt64) -> OpenSocket? { sockets.sockets.first { $0.inode == inode } }
    #expect(socket(14)?.remote == "93.184.216.34:443" && socket(14)?.isIncoming == false)
    #expect(socket(12)?.isListening == true && socket(13)?.isIncoming == true && socket(11)?.local == "/run/pet.sock")
    #expect(socket(17)?.local == "[2001:db8:0:0:0:0:0:1]:8081" && socket(16)?.local == "127.0.0.1:8081")
  }

  @Test("tables that make no sense are no reason to stop")
  func nonsense() throws {
    try open(3, "socket:[7]")
    try open(4, "socket:[99999999999999999999999]")
    try table("tcp", ["", "x", line("zz:00", "0:0", "0A", 7), String(repeating: "f ", count: 5000)])
    let sockets = try #require(OpenSockets.read(root: root.path))
    #expect(sockets.sockets.map(\.inode) == [7] && sockets.count(.internet) == 1)
  }
}
