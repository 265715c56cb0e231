// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import PetFiles
import PetRuntime

/// The environment of this process: read here and handed down, so that everything below can be given another.
package enum ProcessEnvironment {
  /// Where HOME is none, as in a bare `env -i`, it is the home that the password file names.
  package static var current: [String: String] {
    var environment = ProcessInfo.processInfo.environment
    if environment["HOME"]?.hasPrefix("/") != true, let home { environment["HOME"] = home }
    return environment
  }

  /// Read once, at the start: later the file may be out of reach.
  private static let home: String? = {
    guard let file = try? OpenFile.contents("/etc/passwd", atMost: 1 << 20) else { return nil }
    return home(of: getuid(), in: String(decoding: file, as: UTF8.self))
  }()

  /// The sixth of the fields of a user's line, passwd(5). Not getpwuid(3): that asks a daemon through a socket, and no connection is
  /// made with anybody.
  package static func home(of user: uid_t, in file: String) -> String? {
    for line in file.split(separator: "\n") {
      let fields = line.split(separator: ":", omittingEmptySubsequences: false)
      if fields.count >= 7, uid_t(fields[2]) == user, fields[5].hasPrefix("/") { return String(fields[5]) }
    }
    return nil
  }
}
