// SPDX-License-Identifier: Apache-2.0
// Which errors of the modules below may be shown, and how the process ends then. One line per type; those whose status
// depends on the case say so here.
import PetEngine
import PetFiles

extension CatalogError: UserFacingError {}
extension ConfigurationError: UserFacingError {
  package var exitStatus: ExitStatus { if case .file(let error) = self { error.exitStatus } else { .refused } }
}

extension ModelStoreError: UserFacingError {
  package var exitStatus: ExitStatus {
    switch self {
    case .file(let error): error.exitStatus
    case .damaged(_, let error): error.exitStatus
    default: .refused
    }
  }
}

extension VerificationError: UserFacingError {
  package var exitStatus: ExitStatus { if case .file(let error) = self { error.exitStatus } else { .refused } }
}

extension LocalCatalogError: UserFacingError {
  package var exitStatus: ExitStatus { if case .file(let error) = self { error.exitStatus } else { .refused } }
}

extension FetchError: UserFacingError {
  package var exitStatus: ExitStatus {
    switch self {
    case .file(let error): error.exitStatus
    case .local(let error): error.exitStatus
    case .spawn(_, let code): .ofStart(code)
    default: .refused
    }
  }
}

extension InstallError: UserFacingError {
  package var exitStatus: ExitStatus {
    switch self {
    case .file(let error): error.exitStatus
    case .local(let error): error.exitStatus
    default: .refused
    }
  }
}

extension TierError: UserFacingError {}

extension PersonaFileError: UserFacingError {}
extension PetHomeError: UserFacingError {}
extension PetStateFileError: UserFacingError {
  package var exitStatus: ExitStatus { if case .system(_, _, let code) = self { .ofFile(code) } else { .refused } }
}

extension MemoryError: UserFacingError {
  package var exitStatus: ExitStatus { if case .file(_, _, let code) = self { .ofFile(code) } else { .refused } }
}

extension ForgettingError: UserFacingError {
  /// That of the first part that could not be erased.
  package var exitStatus: ExitStatus { (left.first?.cause as? any UserFacingError)?.exitStatus ?? .refused }
}

extension MemoryOfDanger: UserFacingError {}

extension TrustError: UserFacingError {
  package var exitStatus: ExitStatus { if case .file(let error) = self { error.exitStatus } else { .refused } }
}

extension ClassifierError: UserFacingError {
  package var exitStatus: ExitStatus {
    switch self {
    case .inferenceFailed: .internal
    default: .refused
    }
  }
}

extension ThreadError: UserFacingError {
  package var exitStatus: ExitStatus { .outOfMemory }
}

extension ModelError: UserFacingError {
  /// What lies below says how the process ends.
  package var exitStatus: ExitStatus {
    switch self {
    case .insufficientMemory: .outOfMemory
    case .modelLoadFailed(_, let error), .inferenceFailed(_, let error):
      (error as? any UserFacingError)?.exitStatus ?? .refused
    default: .refused
    }
  }
}

extension FileError: UserFacingError {
  package var exitStatus: ExitStatus { .ofFile(code) }
}

extension FolderTrustError: UserFacingError {}
extension SandboxError: UserFacingError {}
extension GGUFError: UserFacingError {}
extension LanguageModelError: UserFacingError {
  package var exitStatus: ExitStatus {
    if case .tokenizer(_, .notEnoughMemory) = self { .outOfMemory } else { .refused }
  }
}
extension SamplingError: UserFacingError {}
extension TokenizerError: UserFacingError {
  package var exitStatus: ExitStatus { self == .notEnoughMemory ? .outOfMemory : .refused }
}

extension ImportError: UserFacingError {}
extension GGUFWriteError: UserFacingError {}

extension AdapterError: UserFacingError {}

extension KVSnapshotError: UserFacingError {}

extension QuantizationError: UserFacingError {
  package var exitStatus: ExitStatus {
    switch self {
    case .overwritesInput: .usage
    default: .refused
    }
  }
}

extension InferenceError: UserFacingError {
  package var exitStatus: ExitStatus {
    switch self {
    case .notEnoughMemory: .outOfMemory
    default: .refused
    }
  }
}
