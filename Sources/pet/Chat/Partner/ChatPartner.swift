// SPDX-License-Identifier: Apache-2.0
import PetAPI
import PetEngine

/// Who is at the other end of a conversation in the terminal: a pet in this process, or one that petd minds.
protocol ChatPartner: Sendable {
  var name: PartnerName { get }

  /// What was wrong with what is kept.
  func damage() async -> [PetHome.Damage]
  /// What a person should know before the first word.
  func warnings() async -> [String]
  /// What was wrong with what is kept, and what it says to its person who has come.
  func arrive() async throws -> (problems: [String], greeting: [Reply])
  /// Hands over what it says by itself, until the task is cancelled.
  func listen(_ say: @Sendable (Reply) -> Void) async
  /// Loads the model, or says why it cannot be used.
  func load() async throws
  /// Loads it, and reads what is known of the first prompt.
  func prewarm() async throws
  /// Reads what is known of the next prompt, while nobody waits.
  func makeReady() async
  /// Cancelling the task stops the reply, with what there is.
  func answer(_ text: String, onText: @escaping @Sendable (String) -> Void) async throws -> TurnReport
  func startAnew() async throws
  /// Whether danger was told of, here or in an earlier visit that this one goes on with, as far as this program knows.
  func isNearDanger() async -> Bool
  /// What was said on both sides, as far back as the conversation goes on from it.
  func lines() async -> [String]
  /// What it was told from the start, and does not forget.
  var given: [String] { get }

  func care(_ action: CareAction, with gift: CareGift?) async throws -> Reply
  func state() async throws -> PetState
  func memories() async throws -> [FactForm]
  /// - Returns: the memories that came or were renewed.
  func remember(_ text: String) async throws -> [FactForm]
  func edit(_ fact: Int64, value: String) async throws
  func forget(_ fact: Int64) async throws
  /// What was forgotten last by a message that asked for it.
  func undoForgetting() async throws -> [FactForm]
  func forgetEverything() async throws

  func model() async throws -> ServingModel
  func statistics() async throws -> PetStatistics
  /// Of this program, and of petd where that answers.
  func privacy() async throws -> (own: PrivacyForm, service: PrivacyForm?)
  /// Who computes the replies, for people.
  var answerer: String { get }
  /// Where it keeps what it keeps, for people.
  var kept: String { get }
}

/// How a partner is called.
struct PartnerName: Sendable {
  /// By people.
  var display: String
  /// The short name under which its faces are kept; empty where there are none.
  var face: String
  /// False for one that is only a system text.
  var isPet: Bool
}
