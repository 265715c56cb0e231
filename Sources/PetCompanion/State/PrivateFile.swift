import FoundationEssentials

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A small file that only its owner may read, and that is there whole or not at all.
package struct PrivateFile {
  package let path: String

  /// A system call that failed.
  package struct Failure: Error {
    let operation: String
    let code: Int32

    var isTooLarge: Bool { code == EFBIG && operation == "read" }
  }

  /// The content; nil where there is no file.
  /// - Throws: `EFBIG` beyond `limit` bytes, `EINVAL` for what is no regular file.
  package func contents(atMost limit: Int) throws(Failure) -> Data? {
    // A pipe in its place must not block.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
    if descriptor < 0, errno == ENOENT { return nil }
    let file = try checked(descriptor, "open")
    defer { close(file) }
    var status = stat()
    try checked(fstat(file, &status), "examine")
    guard status.st_mode & S_IFMT == S_IFREG else { throw Failure(operation: "read", code: EINVAL) }
    var bytes = [UInt8](repeating: 0, count: limit + 1)
    var count = 0
    while count < bytes.count {
      let got = bytes[count...].withUnsafeMutableBytes { read(file, $0.baseAddress, $0.count) }
      if got == 0 { break }
      if got > 0 { count += got } else if errno != EINTR { throw Failure(operation: "read", code: errno) }
    }
    guard count <= limit else { throw Failure(operation: "read", code: EFBIG) }
    return Data(bytes[..<count])
  }

  /// Takes the place of what was there, on disk when this returns. For one writer at a time.
  package func replace(_ content: Data) throws(Failure) {
    let draft = path + ".new"
    do throws(Failure) {
      // What an interrupted write left, or somebody else put there, is not written into.
      unlink(draft)
      let file = try checked(open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600), "create")
      defer { close(file) }
      var rest = Array(content)[...]
      while !rest.isEmpty {
        let written = rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
        if written > 0 { rest = rest.dropFirst(written) } else if errno != EINTR { try checked(-1, "write") }
      }
      try checked(fsync(file), "write")
      try checked(rename(draft, path), "create")
    } catch {
      unlink(draft)
      throw error
    }
    synchronizeFolder()
  }

  /// Gives it another name, in the place of what had it.
  package func move(to other: String) throws(Failure) {
    try checked(rename(path, other), "move")
    synchronizeFolder()
  }

  /// The name in the folder: best effort, the bytes are safe under one of the two names.
  private func synchronizeFolder() {
    let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
    let folder = open(slash.map { String(path[...$0]) } ?? ".", O_RDONLY | O_CLOEXEC | O_DIRECTORY)
    guard folder >= 0 else { return }
    fsync(folder)
    close(folder)
  }

  @discardableResult
  private func checked(_ result: Int32, _ operation: String) throws(Failure) -> Int32 {
    guard result >= 0 else { throw Failure(operation: operation, code: errno) }
    return result
  }
}
