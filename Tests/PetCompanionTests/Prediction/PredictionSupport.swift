// SPDX-License-Identifier: Apache-2.0
import Glibc
import PetCompanion
import PetFiles
import PetRuntime
import SeededGenerator

/// Random sizes and bytes, the same in every run.
struct Dice: RandomNumberGenerator {
  private var generator: SeededGenerator

  init(_ seed: UInt64) { generator = SeededGenerator(seed: seed) }

  mutating func next() -> UInt64 { generator.next() }
  mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }
  mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) } }
}

/// A folder of its own, removed at the end.
final class TestFolder {
  let path: String
  var file: String { path + "/predictions" }

  init() {
    var name = Array("/tmp/pet-predictions-XXXXXX".utf8CString)
    path = mkdtemp(&name).map { String(cString: $0) } ?? "/nowhere"
  }

  deinit {
    for name in Folder.names(in: path) { unlink(path + "/" + name) }
    rmdir(path)
  }

  func bytes() throws -> [UInt8] { try OpenFile.contents(file, atMost: 1 << 26) ?? [] }

  func write(_ bytes: [UInt8]) throws {
    try bytes.withUnsafeBytes { try OpenFile.replace(file, $0, mode: 0o600) }
  }
}

/// A request whose answer can be told from every other's.
func request(_ number: Int) -> PredictionRequest {
  PredictionRequest(
    model: [1, 2, 3], persona: "mochi", personaVersion: "1", promptFormat: 1, ledger: [1, 2, 3],
    message: "message \(number)", options: PredictionOptions())
}

func prediction(_ number: Int) -> Prediction {
  Prediction(
    reply: Reply(
      text: "This is answer \(number), purr.", emotion: .happy, actions: [.purr, .wagTail], isWellFormed: true),
    tokens: [Int32(truncatingIfNeeded: number), 7, 9])
}
