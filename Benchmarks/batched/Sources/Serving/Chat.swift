// SPDX-License-Identifier: Apache-2.0
import PetLanguage
import Synchronization

/// A conversation whose reply is written on and on, and when each piece of it came.
final class Chat: Sendable {
  /// Why a chat is of no more use: it has to be written as long as is measured.
  struct EndedEarly: Error, CustomStringConvertible {
    let reason: String
    var description: String { "a chat ended while it was measured: \(reason); take a shorter prompt" }
  }

  private let times = Mutex<[ContinuousClock.Instant]>([])
  private let end = Mutex<String?>(nil)
  private let session: LanguageModelSession
  private let message: String
  private let options: GenerationOptions

  init(_ model: LanguageModel, _ message: String, _ options: GenerationOptions) throws {
    session = try LanguageModelSession(model: model, instructions: "You are a small friendly dog.")
    self.message = message
    self.options = options
  }

  /// When the pieces came, as whoever reads the stream sees them.
  var arrivals: [ContinuousClock.Instant] { times.withLock { $0 } }

  /// - Throws: `EndedEarly` where the reply has ended, or failed.
  func checkUnderWay() throws(EndedEarly) {
    if let reason = end.withLock({ $0 }) { throw EndedEarly(reason: reason) }
  }

  /// Reads the stream until the reply ends or the task is cancelled.
  func run() async {
    var reason = "cancelled"
    do {
      for try await snapshot in session.streamResponse(to: message, options: options) {
        if let result = snapshot.result {
          reason = result.finishReason.rawValue
        } else {
          times.withLock { $0.append(.now) }
        }
      }
    } catch {
      reason = "\(error)"
    }
    end.withLock { [reason] in $0 = reason }
  }
}
