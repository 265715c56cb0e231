// SPDX-License-Identifier: Apache-2.0
/// How much a JSON text may ask for. Texts come from strangers: each size is bounded before memory is taken for it.
package struct JSONLimits: Sendable, Equatable {
  package var bytes: Int
  /// How deep values may nest; each level takes some hundred bytes of the stack.
  package var nesting: Int
  /// How many values there may be, at all levels together; each takes some hundred bytes of memory.
  package var values: Int

  package init(bytes: Int = .max, nesting: Int, values: Int = .max) {
    self.bytes = bytes
    self.nesting = nesting
    self.values = values
  }
}
