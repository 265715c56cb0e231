import FoundationEssentials
import Glibc

/// The environment of this process: read here and handed down, so that everything below can be given another.
package enum ProcessEnvironment {
  /// Where HOME is none, as in a bare `env -i`, it is the home that the password database names.
  package static var current: [String: String] {
    var environment = ProcessInfo.processInfo.environment
    if environment["HOME"]?.hasPrefix("/") != true, let home { environment["HOME"] = home }
    return environment
  }

  /// Read once, at the start: later the database may be out of reach.
  private static let home: String? = {
    var (entry, found) = (passwd(), UnsafeMutablePointer<passwd>?.none)
    var text = [CChar](repeating: 0, count: 16 << 10)
    return text.withUnsafeMutableBufferPointer { text in
      guard let start = text.baseAddress, getpwuid_r(getuid(), &entry, start, text.count, &found) == 0, found != nil,
        let folder = entry.pw_dir
      else { return nil }
      return String(cString: folder)
    }
  }()
}
