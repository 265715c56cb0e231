// SPDX-License-Identifier: Apache-2.0
import Foundation
import PetEngine

/// Measures one classifier at one tier, in a process that has done nothing else: its files, its load, single inferences on one
/// thread, and its memory. With `reload` as the last word it is loaded again and again. `Measure together` loads all of them and the language models that are here.
@main
struct Measure {
  static func main() async throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard let name = arguments.first, let examples = arguments.dropFirst().first else {
      fatalError("usage: Measure together|film|NAME EXAMPLES [TIER] [RUNS]; NAME as in pet models list")
    }
    let tier = arguments.count > 2 ? arguments[2] : "high"
    let runs = arguments.count > 3 ? Int(arguments[3]) ?? 500 : 500
    let inputs = try Inputs(examples)
    if arguments.last == "reload" { return print(try await Reloading.json(name, cycles: 40)) }
    if name == "together" {
      print(try await Together.json(inputs))
    } else {
      print(try await Single(name, tier, inputs).json(runs))
    }
  }
}

/// What is classified.
struct Inputs: Sendable {
  let photo: Picture
  let sound: Waveform
  let signals: StressSignals

  init(_ folder: String) throws {
    func bytes(_ name: String) throws -> [UInt8] {
      [UInt8](try Data(contentsOf: URL(filePath: folder).appending(path: name)))
    }
    photo = try Picture(bytes("photo.jpg"))
    sound = try Waveform(wav: bytes("talk.wav"))
    signals = try StressSignals(bytes("moods.csv"))
  }
}

/// The store that `pet` uses.
func currentStore() throws -> ModelStore {
  let folders = try PetFolders(environment: ProcessInfo.processInfo.environment)
  return ModelStore(folder: folders.models, catalog: try .builtIn())
}

func milliseconds(_ time: Duration) -> Double { time / .milliseconds(1) }

/// Milliseconds that this process has computed: on a machine that others use as well, what single inferences take without them.
func processorTime() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
}

/// Bytes that lie in memory now.
func resident() -> Double { Double(ResidentMemory.read().current) / 1e6 }

func text(_ fields: [String: Double]) -> String {
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.sortedKeys]
  return (try? encoder.encode(fields)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
}
