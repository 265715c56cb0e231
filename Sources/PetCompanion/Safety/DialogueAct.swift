// SPDX-License-Identifier: Apache-2.0
/// How somebody goes on who has told of danger: what the next words are to take up.
package enum DialogueAct: String, Sendable, CaseIterable, Codable, CodingKeyRepresentable {
  /// Names a means at hand, a plan or a time.
  case plan
  /// Something has happened already, or is happening in the body.
  case done
  /// Wants no help.
  case refuse
  /// Is afraid of what help brings.
  case fear
  /// Nobody is to know.
  case secret
  /// Has nobody.
  case alone
  /// Somebody is there or coming, or was called.
  case with
  /// Blames or belittles themselves.
  case shame
  /// Makes it small.
  case small
  /// Has no strength.
  case tired
  /// Asks what to do or to say.
  case how
  /// Something stands in the way: no credit, no car.
  case barrier
  /// Speaks of something quite different.
  case other
  /// Turns to the pet.
  case pet
  /// Ends the talk.
  case bye
  /// Tells more, or none of these.
  case more
}
