import Glibc
import PetRuntime

import PetCompanion

/// SplitMix64 (Steele, Lea and Flood 2014): the same numbers in every run.
struct Dice: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

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
    model: [1, 2, 3], persona: "mochi", personaVersion: "1", ledger: [1, 2, 3], message: "message \(number)",
    options: PredictionOptions())
}

func prediction(_ number: Int) -> Prediction {
  Prediction(
    reply: Reply(
      text: "This is answer \(number), purr.", emotion: .happy, actions: [.purr, .wagTail], isWellFormed: true),
    tokens: [Int32(truncatingIfNeeded: number), 7, 9])
}
