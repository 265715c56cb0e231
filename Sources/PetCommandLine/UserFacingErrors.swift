// Which errors of the modules below may be shown, and how the process ends then. One line per type; those whose status
// depends on the case say so here.
import PetEngine
import PetFiles

extension CatalogError: UserFacingError {}
extension ConfigurationError: UserFacingError {}
extension ModelStoreError: UserFacingError {}
extension VerificationError: UserFacingError {}

extension LocalCatalogError: UserFacingError {}

extension FetchError: UserFacingError {}
extension InstallError: UserFacingError {}
extension TierError: UserFacingError {}

extension PersonaFileError: UserFacingError {}
extension PetHomeError: UserFacingError {}
extension PetStateFileError: UserFacingError {}
extension MemoryError: UserFacingError {}
extension ForgettingError: UserFacingError {}
extension MemoryOfDanger: UserFacingError {}

extension TrustError: UserFacingError {}

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

extension FileError: UserFacingError {}
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
