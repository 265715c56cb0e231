// SPDX-License-Identifier: Apache-2.0
import PetCommandLine
import Glibc
import PetEngine
import PetFiles
import PetRuntime

/// A file that a person named, read whole.
enum InputFile {
  static func bytes(_ path: String, limit: Int = 1 << 30) throws -> [UInt8] {
    // Without it a pipe that nobody writes to holds the program up, without a word.
    let file = try OpenFile(path, flags: O_RDONLY | O_NONBLOCK)
    // The size of a folder is not that of what is in it.
    guard !file.isFolder else { throw FileError(path: path, operation: "read", code: EISDIR) }
    waitForWriter(of: file)
    // Before anything is read, where the system knows.
    guard try file.size <= UInt64(limit) else { throw InputError.tooLong(path: path, limit: limit) }
    var bytes: [UInt8] = []
    while true {
      let chunk = try [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
        count = try file.read(into: UnsafeMutableRawBufferPointer(buffer))
      }
      if chunk.isEmpty { return bytes }
      guard bytes.count + chunk.count <= limit else { throw InputError.tooLong(path: path, limit: limit) }
      bytes += chunk
    }
  }
}

extension InputFile {
  /// In milliseconds.
  private static let patience: Int32 = 2000

  /// Says what it waits for where that takes long; reading then waits as usual.
  private static func waitForWriter(of file: borrowing OpenFile) {
    var status = stat()
    guard fstat(file.descriptor, &status) == 0 else { return }
    if status.st_mode & S_IFMT == S_IFIFO {
      var ready = pollfd(fd: file.descriptor, events: Int16(POLLIN), revents: 0)
      if poll(&ready, 1, patience) == 0 {
        Output.error.tell(
          "pet: \(file.path): a pipe; waiting for a program that writes into it")
        while poll(&ready, 1, -1) < 0, errno == EINTR {}
      }
    }
    let flags = fcntl(file.descriptor, F_GETFL)
    if flags >= 0 { _ = fcntl(file.descriptor, F_SETFL, flags & ~O_NONBLOCK) }
  }
}

/// Input that was refused.
enum InputError: UserFacingError {
  case tooLong(path: String, limit: Int)
  case tooShort(path: String, tokens: Int, needed: Int)
  case notTokens(path: String)
  case notBenchReport(path: String)
  case notAGrammar(path: String, GrammarError)
  case noPersona(String, known: [String])
  case notAPersona(path: String)
  case notMemories(path: String, MemoryArchiveError)

  var description: String {
    switch self {
    case .tooLong(let path, let limit): "\(path): more than \(ByteCount.text(UInt64(limit))); give a shorter one"
    case .tooShort(let path, let tokens, let needed):
      "\(path): \(tokens) tokens, and at least \(needed) are needed; give a longer text, or a smaller --ctx"
    case .notTokens(let path): "\(path): not a JSON array of token ids; give one such as [1, 2, 3]"
    case .notBenchReport(let path): "\(path): not a report of pet bench; give what `pet bench --json` printed"
    case .notAGrammar(let path, let error): "\(path): \(error)"
    case .notMemories(let path, let error): "\(path): \(error)"
    case .notAPersona(let path): "\(path): no text that says who the model is to be; give words in UTF-8, or a card"
    case .noPersona(let name, let known):
      "persona '\(name)': there is none of this name, and no such file\(NearestName.hint(for: name, among: known)); there are "
        + known.joined(separator: ", ")
    }
  }
}
