// SPDX-License-Identifier: Apache-2.0
import PetFiles

/// Why a file is not the expected one.
public enum VerificationError: Error, Equatable, CustomStringConvertible {
  case file(FileError)
  case size(path: String, expected: UInt64, actual: UInt64)
  case hash(path: String, expected: SHA256Hash, actual: SHA256Hash)
  /// No SHA-256 of the file is known yet.
  case unknownHash(path: String)

  public var description: String {
    switch self {
    case .file(let error): error.description
    case .size(let path, let expected, let actual):
      "\(path): \(actual) bytes instead of \(expected); fetch it again"
    case .hash(let path, let expected, let actual):
      "\(path): SHA-256 is \(actual) instead of \(expected); fetch it again"
    case .unknownHash(let path): "\(path): no SHA-256 of it was recorded; fetch it again"
    }
  }
}
