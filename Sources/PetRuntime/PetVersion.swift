// SPDX-License-Identifier: Apache-2.0
/// The version of the programs, as semver.org counts.
package enum PetVersion {
  package static let current = "0.1.0"

  /// "0.1.0 (commit 0123456789, release build)", for `--version`.
  package static var text: String {
    let build = BuildFacts.current
    return "\(current) (\(build.commit.map { "commit \($0), " } ?? "")\(build.configuration) build)"
  }
}
