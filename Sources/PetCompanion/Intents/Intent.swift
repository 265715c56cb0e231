// SPDX-License-Identifier: Apache-2.0
/// What a line wants of a pet where its small language model would make something up, or forget how the pet fares.
package enum Intent: String, Sendable, CaseIterable {
  /// To do something in the world outside.
  case world
  /// What must be looked up, or done by a device.
  case online
  /// What it sees or hears around the person.
  case senses
  /// What a doctor, a pharmacist or a vet must say.
  case health
  /// What somebody else who is trained for it must say.
  case expert
  /// Something cruel, sexual or harmful.
  case improper
  /// To be a partner for real.
  case love
  /// To be somebody else, or to obey.
  case character
  /// What it really is.
  case machine
  /// A human life that it never had.
  case past
  /// What becomes of what is said.
  case privacy
  /// Its name or its kind.
  case identity
  /// Nothing: letters without a meaning.
  case noise
  /// To be asked for the rest: the line breaks off.
  case cut
  /// Nothing that it understands: something written for machines.
  case code
  /// To feed it, or to know whether it is hungry.
  case food
  /// To play something lively.
  case play
  /// To know whether it is tired, or to have it rest.
  case rest
  /// To know how it feels.
  case mood

  /// Whether it is about the pet, and not about what it was told or what it can do.
  package var isOfThePet: Bool {
    switch self {
    case .love, .character, .machine, .past, .privacy, .identity, .food, .play, .rest, .mood: true
    case .world, .online, .senses, .health, .expert, .improper, .noise, .cut, .code: false
    }
  }
}
