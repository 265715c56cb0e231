// SPDX-License-Identifier: Apache-2.0
package enum PetVersion {
  package static let current = "0.1.0"
}
