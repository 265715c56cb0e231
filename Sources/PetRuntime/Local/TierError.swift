// SPDX-License-Identifier: Apache-2.0
/// Why a tier was not made. The store is as it was then.
package enum TierError: Error, Equatable, CustomStringConvertible {
  case notBelow(model: String, ModelQuality)
  case taken(model: String, ModelQuality, by: String)
  case notSound(model: String)
  case notMade(model: String, type: String, reason: String)
  case notSmaller(model: String, type: String, bytes: UInt64, than: UInt64)
  case nameTaken(String)
  case nameTooLong(String)

  package var description: String {
    switch self {
    case .notBelow(let model, let quality):
      "model '\(model)': not above the tier \(quality.rawValue); make tiers of the best one"
    case .taken(let model, let quality, let other):
      "model '\(model)': its tier \(quality.rawValue) is \(other), by the catalog; leave it out"
    case .notSound(let model):
      "model '\(model)': its file is not here or not sound; run: pet models repair \(model)"
    case .notMade(let model, let type, let reason): "model '\(model)': cannot be made into \(type): \(reason)"
    case .notSmaller(let model, let type, let bytes, let limit):
      "model '\(model)': \(type) takes \(bytes) bytes, no less than the \(limit) it has; give a smaller type"
    case .nameTooLong(let name):
      "the name '\(name)' is longer than a name can be; install yours under a shorter one"
    case .nameTaken(let name): "the name '\(name)' is taken by another model; install yours under another name"
    }
  }
}
