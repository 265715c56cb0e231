#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A file that could not be opened, read or written.
public struct StorageError: Error, Equatable, Sendable, CustomStringConvertible {
  public enum Operation: String, Sendable {
    case open, map, read, write, lock, synchronize, rename
  }

  public let path: String
  public let operation: Operation
  /// The system's error number; 0 when the file ended before the bytes that were asked for.
  public let code: Int32

  public init(path: String, operation: Operation, code: Int32) {
    self.path = path
    self.operation = operation
    self.code = code
  }

  /// There is nothing at the path.
  public var isMissing: Bool { operation == .open && code == ENOENT }

  public var description: String {
    let reason = code == 0 ? "the file ends too early" : String(cString: strerror(code))
    return "\(path.printable): cannot \(operation.rawValue): \(reason)\(advice)"
  }

  private var advice: String {
    switch code {
    case 0: "; it was cut short or is still being written: fetch it again"
    case ENOENT: "; check the path"
    case ENOSPC, EDQUOT: "; free some space or choose another place for the output"
    case EISDIR: "; give the path of a file"
    case EINVAL where operation == .open: "; give the path of a regular file"
    case ENOTDIR: "; give the path of a folder"
    case EACCES, EPERM: "; check who owns it and its permissions"
    case EWOULDBLOCK where operation == .lock: "; another process is writing this file: wait for it to end"
    case EMFILE, ENFILE: "; close some programs, or raise the limit on open files (ulimit -n)"
    case ENOMEM: "; close some programs, or raise the limits on memory (ulimit -v, -d)"
    default: ""
    }
  }
}

extension String {
  /// The text with control characters escaped, cut after 200 characters: names from a file go to a terminal.
  package var printable: String { printable(atMost: 200) }

  /// As ``printable``, cut after `limit` characters.
  func printable(atMost limit: Int) -> String {
    var result = ""
    for (index, scalar) in unicodeScalars.enumerated() {
      if index == limit { return result + "..." }
      switch scalar.properties.generalCategory {
      case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator:
        result += "\\u{\(String(scalar.value, radix: 16))}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
