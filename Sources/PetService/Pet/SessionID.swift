// SPDX-License-Identifier: Apache-2.0
/// A conversation is named by its pet and its own name, so that it is found again after a restart, and by another daemon.
struct SessionID: Hashable, Sendable, CustomStringConvertible {
  let pet: String
  let name: String

  var description: String { "\(pet).\(name)" }

  init(pet: String, name: String) {
    self.pet = pet
    self.name = name
  }

  /// Of a conversation that is kept nowhere: no other may have such a name.
  init(passingWith pet: String) { self.init(pet: pet, name: "~" + RequestID.make()) }

  var isPassing: Bool { name.hasPrefix("~") }

  /// Nil for what is no such name.
  init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }) else { return nil }
    self.init(pet: parts[0], name: parts[1])
  }
}
