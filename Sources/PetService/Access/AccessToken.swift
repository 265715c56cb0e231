// SPDX-License-Identifier: Apache-2.0
/// What a client over TCP brings, and what it opens.
package struct AccessToken: Sendable, Equatable {
  package let secret: [UInt8]
  /// The one pet that it opens; nil: all that the daemon answers.
  package let pet: String?

  package init(_ secret: [UInt8], pet: String? = nil) {
    self.secret = secret
    self.pet = pet
  }
}

extension Router.Route {
  /// Whether it concerns one pet alone, and that is `pet`. Conversations are begun with PUT, which names the pet in the path.
  func isOf(_ pet: String, _ parameters: Router.Parameters) -> Bool {
    if isOpen || pattern.hasPrefix("/health") { return true }
    if pattern.hasPrefix("/pet/pets/{pet}/") { return parameters["pet"] == pet }
    return pattern.hasPrefix("/pet/sessions/{session}") && SessionID(parameters["session"])?.pet == pet
  }
}
