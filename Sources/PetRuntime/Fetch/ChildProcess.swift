import Glibc

/// Runs one program to its end, without a shell.
package struct ChildProcess: Sendable {
  /// What a program left behind.
  package struct Outcome: Sendable, Equatable {
    /// Exit status, or minus the number of the signal that ended it.
    package let status: Int32
    /// The last non-empty line of its standard error.
    package let lastErrorLine: String

    package init(status: Int32, lastErrorLine: String) {
      self.status = status
      self.lastErrorLine = lastErrorLine
    }
  }

  package let arguments: [String]
  package let environment: [String: String]

  package init(_ arguments: [String], environment: [String: String]) {
    self.arguments = arguments
    self.environment = environment
  }

  /// Starts the program and waits; standard input and output are /dev/null.
  ///
  /// - Parameter check: called about five times a second; what it throws ends the program and is thrown on.
  /// - Throws: `FetchError.spawn`, and what `check` throws.
  package func run(check: () throws -> Void) throws -> Outcome {
    var pipe: Pipe
    do { pipe = try Pipe() } catch { throw FetchError.spawn(program: arguments[0], code: error.code) }
    let process = try spawn(standardError: pipe.writeEnd)
    pipe.closeWriteEnd()
    var tail = ErrorTail()
    do {
      while true {
        let isOpen = tail.read(from: pipe.readEnd, milliseconds: 200)
        if let status = Self.reap(process) {
          while tail.read(from: pipe.readEnd, milliseconds: 0) {}
          return Outcome(status: status, lastErrorLine: tail.lastLine)
        }
        // Standard error may be closed long before the end.
        if !isOpen { usleep(20_000) }
        try check()
      }
    } catch {
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

  private func spawn(standardError: Int32) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, standardError, STDERR_FILENO)

    // What this process ignores or blocks is not the child's business.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigaddset(&signals, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))

    var argv = arguments.map { strdup($0) } + [nil]
    var envp = environment.map { strdup("\($0)=\($1)") } + [nil]
    defer { for pointer in argv + envp { free(pointer) } }
    var process = pid_t()
    let failure = posix_spawnp(&process, arguments[0], &actions, &attributes, &argv, &envp)
    guard failure == 0 else { throw FetchError.spawn(program: arguments[0], code: failure) }
    return process
  }

  private static func reap(_ process: pid_t) -> Int32? {
    var status: Int32 = 0
    guard waitpid(process, &status, WNOHANG) == process else { return nil }
    let signal = status & 0x7F
    return signal == 0 ? (status >> 8) & 0xFF : -signal
  }
}

/// The end of a program's standard error; however much it says, little is kept.
private struct ErrorTail {
  private var bytes: [UInt8] = []

  /// Waits for output and takes up to 4 KiB of it. Returns false when none came and, if time was given, none will.
  mutating func read(from descriptor: Int32, milliseconds: Int32) -> Bool {
    var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&ready, 1, milliseconds) > 0 else { return milliseconds > 0 }
    return withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
      let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      guard count > 0 else { return false }
      bytes.append(contentsOf: buffer[..<count])
      if bytes.count > 8192 { bytes.removeFirst(bytes.count - 4096) }
      return true
    }
  }

  var lastLine: String {
    let lines = bytes.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
    let last = lines.last { line in line.contains { $0 > 0x20 } }
    return last.map { String(decoding: $0, as: UTF8.self) } ?? ""
  }
}
