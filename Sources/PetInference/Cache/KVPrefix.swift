/// The beginning of a sequence with its keys and values, shared by reference.
package struct KVPrefix: Sendable {
  package let tokens: [Int32]
  /// As many as the tokens need.
  let blocks: [KVBlock]
  let origin: KVOrigin

  package var count: Int { tokens.count }
}
