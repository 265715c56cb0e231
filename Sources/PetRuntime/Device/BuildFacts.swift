// SPDX-License-Identifier: Apache-2.0
/// How this program was built.
public struct BuildFacts: Sendable, Equatable, Codable {
  public let swift: String
  public let configuration: String

  public static let current = BuildFacts(swift: swiftVersion, configuration: buildConfiguration)

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
