// SPDX-License-Identifier: Apache-2.0
import Foundation

/// How long a test waits for what comes soon: a minute, in hundredths of a second. Guards against hanging; how fast this machine is, and
/// what else it does, is not tested.
let patience = 0..<6000

/// Files that the tests of other modules keep as well.
enum Fixtures {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Fixtures")

  static func path(_ name: String) -> String { folder.appending(path: name).path }

  /// Random weights: it answers nonsense, and always the same.
  static let smallModel = path("models/phi3-mha/model.gguf")
}
