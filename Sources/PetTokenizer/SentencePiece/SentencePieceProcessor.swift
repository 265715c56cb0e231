// SPDX-License-Identifier: Apache-2.0
import CSentencePiece

/// libsentencepiece's processor. Immutable once loaded, so it may be used from several threads.
final class SentencePieceProcessor: @unchecked Sendable {
  private let handle: OpaquePointer
  private static let reasonSize = 256

  /// - Parameter model: a serialized `ModelProto`.
  init(model: [UInt8]) throws(TokenizerError) {
    var reason = [UInt8](repeating: 0, count: Self.reasonSize)
    let handle = reason.withUnsafeMutableBytes { reason in
      model.withUnsafeBytes {
        pet_sentencepiece_create(
          $0.baseAddress, $0.count, reason.bindMemory(to: CChar.self).baseAddress, Self.reasonSize)
      }
    }
    guard let handle else { throw Self.error(reason) }
    self.handle = handle
  }

  deinit { pet_sentencepiece_destroy(handle) }

  var count: Int { Int(pet_sentencepiece_count(handle)) }

  func encode(_ text: UnsafeBufferPointer<UInt8>, into ids: inout [Int32]) throws(TokenizerError) {
    var reason = [UInt8](repeating: 0, count: Self.reasonSize)
    var encoded: UnsafeMutablePointer<Int32>?
    var count = 0
    let status = reason.withUnsafeMutableBytes {
      pet_sentencepiece_encode(
        handle, text.baseAddress, text.count, &encoded, &count, $0.bindMemory(to: CChar.self).baseAddress,
        Self.reasonSize)
    }
    defer { pet_sentencepiece_free(encoded) }
    guard status == 0 else { throw Self.error(reason) }
    ids.append(contentsOf: UnsafeBufferPointer(start: encoded, count: count))
  }

  private static func error(_ reason: [UInt8]) -> TokenizerError {
    let text = String(decoding: reason.prefix { $0 != 0 }, as: UTF8.self)
    return text == PET_SENTENCEPIECE_NO_MEMORY ? .notEnoughMemory : .sentencePiece(text)
  }
}
