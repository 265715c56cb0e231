// SPDX-License-Identifier: Apache-2.0
import CBuildInfo

/// How this program was built.
package struct BuildFacts: Sendable, Equatable, Codable {
  package let swift: String
  package let configuration: String
  /// Nil where the build was not told it: `PET_COMMIT` in its environment.
  package let commit: String?

  package static let current = BuildFacts(swift: swiftVersion, configuration: buildConfiguration, commit: commit)

  private static var commit: String? {
    let commit = String(cString: pet_build_commit())
    return commit.isEmpty ? nil : commit
  }

  private static var swiftVersion: String {
    #if compiler(>=6.5)
      "6.5 or newer"
    #elseif compiler(>=6.4)
      "6.4"
    #elseif compiler(>=6.3)
      "6.3"
    #elseif compiler(>=6.2)
      "6.2"
    #else
      "6.1"
    #endif
  }

  private static var buildConfiguration: String {
    #if DEBUG
      "debug"
    #else
      "release"
    #endif
  }
}
