import Foundation
import Glibc
import Testing

/// The built `pet`, next to the test bundle.
enum PetBinary {
  struct Result {
    let status: Int32
    let output: String
    let error: String

    /// Standard output as JSON.
    func json() throws -> Any {
      try JSONSerialization.jsonObject(with: Data(output.utf8))
    }
  }

  static let path: String = {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
    let own = String(decoding: buffer[..<max(0, count)].map(UInt8.init(bitPattern:)), as: UTF8.self)
    return URL(filePath: own).deletingLastPathComponent().appending(path: "pet").path
  }()

  /// Runs `pet`; its environment is PATH and PET_HOME, nothing else.
  static func run(_ arguments: [String], home: String, path: String = "/usr/bin:/bin", input: String = "") throws
    -> Result
  {
    try run(executable: Self.path, arguments, environment: ["PATH": path, "PET_HOME": home], input: input)
  }

  static func run(
    executable: String, _ arguments: [String], environment: [String: String], input: String = ""
  ) throws -> Result {
    let process = Process()
    process.executableURL = URL(filePath: executable)
    process.arguments = arguments
    process.environment = environment
    let folder = FileManager.default.temporaryDirectory.appending(path: "pet-run-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    // Files rather than pipes: nothing to drain.
    for name in ["in", "out", "err"] {
      try Data(name == "in" ? input.utf8 : "".utf8).write(to: folder.appending(path: name))
    }
    process.standardInput = try FileHandle(forReadingFrom: folder.appending(path: "in"))
    process.standardOutput = try FileHandle(forWritingTo: folder.appending(path: "out"))
    process.standardError = try FileHandle(forWritingTo: folder.appending(path: "err"))
    try process.run()
    process.waitUntilExit()
    return Result(
      status: process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus,
      output: try String(contentsOf: folder.appending(path: "out"), encoding: .utf8),
      error: try String(contentsOf: folder.appending(path: "err"), encoding: .utf8))
  }
}

/// An empty PET_HOME that goes with its owner.
final class TemporaryHome: Sendable {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.path + "/pet-home-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }
}
