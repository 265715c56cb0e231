// SPDX-License-Identifier: Apache-2.0
import Crypto

extension GGUFFile {
  /// Identifies a model without reading all of it: SHA-256 of the header and the first bytes of every tensor. Further training, or
  /// another quantization, changes those bytes.
  package func fingerprint() -> [UInt8] {
    var hash = SHA256()
    let tensors = tensorNames.compactMap { self.tensors[$0] }
    let header = tensors.map(\.bytes.lowerBound).min() ?? mapping.bytes.count
    hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: mapping.bytes.prefix(header)))
    for tensor in tensors {
      let bytes = UnsafeRawBufferPointer(rebasing: data(of: tensor).prefix(4096))
      hash.update(bufferPointer: bytes)
    }
    return Array(hash.finalize())
  }
}
