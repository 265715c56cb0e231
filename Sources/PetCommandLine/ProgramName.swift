// SPDX-License-Identifier: Apache-2.0
/// What this program calls itself in a message.
package enum ProgramName {
  package static let own = CommandLine.arguments.first?.split(separator: "/").last == "petd" ? "petd" : "pet"
}
