// SPDX-License-Identifier: Apache-2.0
import PetText

/// Why a classifier gave no answer. Reasons name what was found and what is expected.
public enum ClassifierError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What a person gave cannot be used: a broken picture, sound or table, or numbers out of range.
  case invalidInput(String)
  /// The model's file is not one that can be run.
  case invalidModel(String)
  /// The machine cannot run models of this kind.
  case unavailable(String)
  /// The model was run and failed.
  case inferenceFailed(String)

  /// One line: names are those of a file.
  public var description: String { message.oneLine }

  private var message: String {
    switch self {
    case .invalidInput(let reason): "invalid input: \(reason)"
    case .invalidModel(let reason): "invalid model: \(reason)"
    case .unavailable(let reason): "not available: \(reason)"
    case .inferenceFailed(let reason): "inference failed: \(reason)"
    }
  }
}
