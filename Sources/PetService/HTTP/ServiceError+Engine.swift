// SPDX-License-Identifier: Apache-2.0
import Glibc
import NIOHTTP1
import PetAPI
import PetEngine
import PetFiles
import PetRuntime

extension ServiceError {
  /// What an error of the engine means to a client. Errors of the engine hold no words of a conversation.
  init(engine error: any Error) {
    switch error {
    case LanguageModelError.overloaded:
      self.init(.tooManyRequests, "\(error)", code: "overloaded", retryAfter: 1)
    case LanguageModelError.messageTooLong:
      self.init(.badRequest, "\(error)", parameter: "messages", code: "context_length_exceeded")
    case InferenceError.contextFull:
      self.init(.badRequest, "\(error)", parameter: "prompt", code: "context_length_exceeded")
    case LanguageModelError.emptyPrompt:
      self.init(.badRequest, "\(error)", parameter: "prompt", code: "invalid_value")
    case LanguageModelError.emptyText:
      self.init(.badRequest, "\(error)", parameter: "input", code: "invalid_value")
    case let error as GrammarError: self = .schema(error, in: nil)
    case SamplingError.notANumber: self.init(.internalServerError, "\(error)")
    case let error as SamplingError: self.init(.badRequest, "\(error)", code: "invalid_value")
    case ModelError.invalidInput(_, let reason), ClassifierError.invalidInput(let reason):
      self.init(.badRequest, reason, code: "invalid_input")
    case ModelError.insufficientMemory, ModelError.modelNotAvailable:
      self.init(.serviceUnavailable, "\(error)", code: "model_not_available", retryAfter: 10)
    case InferenceError.fileLost:
      self.init(
        .serviceUnavailable, "the model's file was cut short while it was used; it is loaded anew",
        code: "model_not_available", retryAfter: 1)
    case ModelError.modelNotFound: self.init(.notFound, "\(error)", parameter: "model", code: "model_not_found")
    case PetHomeError.inUse:
      self.init(.conflict, "the pet is with its person in another program", code: "pet_in_use", retryAfter: 1)
    case PetHomeError.badName: self.init(.badRequest, "\(error)", parameter: "name", code: "invalid_value")
    case PetHomeError.damaged:
      self.init(.conflict, "the conversation is damaged; its file must be moved away", code: "damaged")
    case PetHomeError.sealedWithFormerKey: self.init(.conflict, "\(error)", code: "sealed")
    case let error as ForgettingError:
      self.init(engine: error.left[0].cause)
      message = "\(error)"
    case MemoryError.noSuchFact: self.init(.notFound, "\(error)", parameter: "fact", code: "not_found")
    case MemoryError.emptyValue:
      self.init(.badRequest, "\(error)", parameter: "value", code: "invalid_value")
    case MemoryError.secret, MemoryError.tellsNothing, MemoryError.notOneFact, MemoryError.sentenceNeeded,
      MemoryError.tooLong:
      self.init(.badRequest, "\(error)", code: "invalid_value")
    case is MemoryOfDanger: self.init(.badRequest, "\(error)", code: "danger")
    case is CancellationError: self.init(.serviceUnavailable, "the server is stopping", retryAfter: 5)
    case MemoryError.keyNeeded, MemoryError.wrongKey, MemoryError.keyMissing, MemoryError.keyDamaged,
      MemoryError.notSealed:
      self.init(.conflict, "\(error)", code: "sealed")
    case MemoryError.damaged, PetStateFileError.damaged: self.init(.conflict, "\(error)", code: "damaged")
    case MemoryError.newer, PetStateFileError.newer: self.init(.conflict, "\(error)", code: "newer")
    case MemoryError.busy: self.init(.conflict, "\(error)", code: "pet_in_use", retryAfter: 1)
    case MemoryError.full: self = .storage(error, ENOSPC)
    case MemoryError.file(_, _, let code), PetStateFileError.system(_, _, let code): self = .storage(error, code)
    case let error as FileError: self = .storage(error, error.code)
    case is MemoryError, is PetStateFileError, is FolderTrustError: self = .storage(error, 0)
    case ModelError.modelLoadFailed, is GGUFError, is TokenizerError:
      self.init(.serviceUnavailable, "\(error)", code: "model_not_available", retryAfter: 60)
    case is ThreadError: self.init(.serviceUnavailable, "\(error)", code: "overloaded", retryAfter: 10)
    case is ModelError, is LanguageModelError, is InferenceError, is ClassifierError:
      self.init(.internalServerError, "\(error)", code: ErrorForm.fault)
    // What other libraries throw may say where in their source they are.
    default: self.init(.internalServerError, "a fault of this program; its request ends here", code: ErrorForm.fault)
    }
  }

  /// - Parameter code: `errno`, or 0.
  private static func storage(_ error: any Error, _ code: Int32) -> ServiceError {
    let isFull = code == ENOSPC || code == EDQUOT || code == EFBIG
    return ServiceError(
      isFull ? .insufficientStorage : .serviceUnavailable, "\(error)", code: isFull ? "storage_full" : "storage_failed",
      retryAfter: 60)
  }

  /// - Parameter field: that holds the schema, or the grammar.
  static func schema(_ error: GrammarError, in field: String?) -> ServiceError {
    ServiceError(
      .badRequest, "\(field ?? "the schema") cannot be enforced: \(error)", parameter: field, code: "invalid_schema")
  }

  /// Runs `body`; a schema that is refused is told with the field that holds it.
  static func naming<Value>(_ field: String, _ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch let error as GrammarError {
      throw schema(error, in: field)
    }
  }
}
