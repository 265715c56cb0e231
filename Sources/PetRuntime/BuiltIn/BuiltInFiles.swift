// SPDX-License-Identifier: Apache-2.0
import CBuiltInModels

/// The files of `Models/` that are part of the program, so that it has something to say without any other file.
package enum BuiltInFiles {
  /// The names of all of them.
  static let names: [String] = sequence(state: 0) { index in
    defer { index += 1 }
    return built_in_model_name(index).map { String(cString: $0) }
  }.map { $0 }

  /// The bytes of the file of this name, page-aligned, valid as long as the program runs; nil where it is not built in.
  package static func bytes(named name: String) -> UnsafeRawBufferPointer? {
    var count = 0
    guard let start = built_in_model(name, &count) else { return nil }
    return UnsafeRawBufferPointer(start: start, count: count)
  }
}
