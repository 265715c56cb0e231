// SPDX-License-Identifier: Apache-2.0
import CPetKernels
import Glibc
import Synchronization

/// Runs one program to its end, without a shell, in a folder of its own.
package struct ChildProcess: Sendable {
  /// What a program left behind.
  package struct Outcome: Sendable, Equatable {
    /// Exit status, or minus the number of the signal that ended it, or `unknownStatus`.
    package let status: Int32
    /// The last non-empty line of its standard error.
    package let lastErrorLine: String

    /// It has ended, and somebody else was told how: no exit status is as large.
    package static let unknownStatus: Int32 = 256

    package init(status: Int32, lastErrorLine: String) {
      self.status = status
      self.lastErrorLine = lastErrorLine
    }
  }

  package let arguments: [String]
  package let environment: [String: String]
  /// In which it starts; nil: that of this program.
  package let folder: String?

  package init(_ arguments: [String], environment: [String: String], in folder: String? = nil) {
    self.arguments = arguments
    self.environment = environment
    self.folder = folder
  }

  /// Starts the program and waits; standard input is /dev/null.
  ///
  /// - Parameters:
  ///   - output: receives the standard output piece by piece; nil: it goes to /dev/null. What it throws ends the program and
  ///     is thrown on.
  ///   - check: called at least five times a second; what it throws ends the program and is thrown on.
  /// - Throws: `FetchError.spawn`, and what the parameters throw.
  package func run(
    output: ((UnsafeRawBufferPointer) throws -> Void)? = nil, check: () throws -> Void
  ) throws -> Outcome {
    var errors = try pipe()
    var outputs = try pipe()
    let process = try spawn(standardOutput: output == nil ? nil : outputs.writeEnd, standardError: errors.writeEnd)
    errors.closeWriteEnd()
    outputs.closeWriteEnd()
    var tail = ErrorTail()
    var exit: Int32?
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 64)
    defer { buffer.deallocate() }
    do {
      while true {
        var ready = [errors.readEnd, outputs.readEnd].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        _ = poll(&ready, output == nil ? 1 : 2, 200)
        exit = Self.reap(process)
        var isFlowing = tail.read(from: errors.readEnd)
        if let output {
          // The rest of what an ended program wrote is in the pipe.
          while let piece = Self.read(outputs.readEnd, into: buffer) {
            isFlowing = true
            try output(piece)
            if exit == nil { break }
          }
        }
        if let status = exit { return Outcome(status: status, lastErrorLine: tail.lastLine) }
        // Streams that are closed are always ready, and may be long before the end.
        if !isFlowing { usleep(20_000) }
        try check()
      }
    } catch {
      // One that has ended is nobody's any more: its number may be another's.
      guard exit == nil else { throw error }
      kill(process, SIGTERM)
      for _ in 0..<100 {
        if Self.reap(process) != nil { throw error }
        usleep(20_000)
      }
      kill(process, SIGKILL)
      while Self.reap(process) == nil { usleep(1000) }
      throw error
    }
  }

  /// Starts the program in a process group of its own, where no key of the terminal ends it.
  /// - Throws: `FetchError.spawn`.
  package func runBeside() throws -> BesideProcess {
    var words = try pipe()
    let process = try spawn(standardOutput: words.writeEnd, standardError: words.writeEnd, isApart: true)
    words.closeWriteEnd()
    return BesideProcess(process, words)
  }

  private func pipe() throws -> Pipe {
    do { return try Pipe() } catch { throw FetchError.spawn(program: arguments[0], code: error.code) }
  }

  /// What there is to read; nil when there is nothing now, or nothing more.
  private static func read(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer
  ) -> UnsafeRawBufferPointer? {
    let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
    return count > 0 ? UnsafeRawBufferPointer(rebasing: buffer[..<count]) : nil
  }

  private func spawn(standardOutput: Int32?, standardError: Int32, isApart: Bool = false) throws -> pid_t {
    Self.keepStatuses()
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    if let standardOutput {
      posix_spawn_file_actions_adddup2(&actions, standardOutput, STDOUT_FILENO)
    } else {
      posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
    }
    posix_spawn_file_actions_adddup2(&actions, standardError, STDERR_FILENO)

    if let folder {
      let failure = pk_spawn_in_folder(&actions, folder)
      guard failure == 0 else { throw FetchError.spawn(program: arguments[0], code: failure) }
    }

    // What this process ignores or blocks is not the child's business.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigaddset(&signals, SIGPIPE)
    sigaddset(&signals, SIGXFSZ)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    let group = isApart ? POSIX_SPAWN_SETPGROUP : 0
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | group))

    var argv = arguments.map { strdup($0) } + [nil]
    var envp = environment.map { strdup("\($0)=\($1)") } + [nil]
    defer { for pointer in argv + envp { free(pointer) } }
    var process = pid_t()
    let failure = posix_spawnp(&process, arguments[0], &actions, &attributes, &argv, &envp)
    guard failure == 0 else { throw FetchError.spawn(program: arguments[0], code: failure) }
    return process
  }

  /// Where SIGCHLD is ignored, which whoever started this program may have left so, nobody is told how a child ended: wait(2).
  private static func keepStatuses() {
    if InheritedSignal.isIgnored(SIGCHLD) { _ = signal(SIGCHLD, SIG_DFL) }
  }

  /// The status of one that has ended; nil: it runs.
  fileprivate static func reap(_ process: pid_t) -> Int32? {
    var status: Int32 = 0
    switch waitpid(process, &status, WNOHANG) {
    case process:
      let signal = status & 0x7F
      return signal == 0 ? (status >> 8) & 0xFF : -signal
    case -1 where errno == ECHILD: return Outcome.unknownStatus
    default: return nil
    }
  }
}

/// A program that runs beside this one, whose words are read as they come.
package final class BesideProcess: Sendable {
  private let process: pid_t
  private let words: Pipe
  private let state = Mutex<(rest: [UInt8], status: Int32?)>(([], nil))

  fileprivate init(_ process: pid_t, _ words: consuming Pipe) {
    self.process = process
    self.words = words
  }

  /// The lines that it wrote since the last call, and how it ended: as in `ChildProcess.Outcome`; nil: it runs. At once.
  package func poll() -> (lines: [String], status: Int32?) {
    state.withLock { state in
      if state.status == nil { state.status = ChildProcess.reap(process) }
      var buffer = [UInt8](repeating: 0, count: 4096)
      while case let count = read(words.readEnd, &buffer, buffer.count), count > 0 {
        state.rest.append(contentsOf: buffer[..<count])
        if state.rest.count > 1 << 16 { state.rest.removeFirst(state.rest.count - 1 << 12) }
      }
      var lines = state.rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      let open = lines.popLast() ?? []
      // What an ended program wrote last may have no end.
      if state.status != nil, !open.isEmpty { lines.append(open) }
      let texts = lines.filter { !$0.isEmpty }.map { String(decoding: $0, as: UTF8.self) }
      state.rest = state.status == nil ? Array(open) : []
      return (texts, state.status)
    }
  }
}

/// The end of a program's standard error; however much it says, little is kept.
private struct ErrorTail {
  private var bytes: [UInt8] = []

  /// Takes up to 256 KiB of what there is now. Returns false when nothing is.
  mutating func read(from descriptor: Int32) -> Bool {
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
      for piece in 0..<64 {
        let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
        guard count > 0 else { return piece > 0 }
        bytes.append(contentsOf: buffer[..<count])
        if bytes.count > 8192 { bytes.removeFirst(bytes.count - 4096) }
      }
      return true
    }
  }

  var lastLine: String {
    let lines = bytes.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
    let last = lines.last { line in line.contains { $0 > 0x20 } }
    return last.map { String(decoding: $0, as: UTF8.self) } ?? ""
  }
}
