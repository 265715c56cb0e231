// SPDX-License-Identifier: Apache-2.0
import PetFiles
import PetText

/// Why the keys and values in a file cannot be used.
public struct KVSnapshotError: Error, Equatable, Sendable, CustomStringConvertible {
  package enum Reason: Equatable, Sendable {
    case notASnapshot
    /// An unknown version of the format.
    case version(UInt8)
    /// Computed by another model or other kernels, or stored in another precision.
    case otherModel
    /// The checksum or a count does not match.
    case damaged
    /// More tokens than the context holds.
    case tooLong(tokens: Int, capacity: Int)
  }

  public let path: String
  package let reason: Reason

  package init(path: String, reason: Reason) {
    self.path = path
    self.reason = reason
  }

  public var description: String {
    switch reason {
    case .notASnapshot: "\(path.printable): not a conversation that was saved; check the path"
    case .version(let version):
      "\(path.printable): version \(version) of the format is not known; start the conversation anew"
    case .otherModel:
      "\(path.printable): saved by another model or another build; load that one, or start the conversation anew"
    case .damaged: "\(path.printable): damaged; start the conversation anew"
    case .tooLong(let tokens, let capacity):
      "\(path.printable): has \(tokens) tokens and the context \(capacity); give a longer context"
    }
  }
}
