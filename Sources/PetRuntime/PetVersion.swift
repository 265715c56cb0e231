// SPDX-License-Identifier: Apache-2.0
/// The version of the programs, as semver.org counts.
package enum PetVersion {
  package static let current = "0.1.0"
}
