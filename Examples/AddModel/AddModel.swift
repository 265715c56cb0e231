// SPDX-License-Identifier: Apache-2.0
// A new kind of model in one file: what it is, how it is loaded, what it needs, and how it is used. The guide "Adding a
// model" in the documentation of PetEngine walks through it.
//
//     swift run AddModel README.md "the weather" "xqz jkw"

import PetEngine

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

// Step 1: the model. Any Sendable type will do. This one knows which letters follow each other in a text it has read.
struct LetterPairs: Sendable {
  /// Letters from a to z, and what lies between words.
  static let symbols = 27

  /// -log p(second | first) in nats. [first][second]
  private let surprise: [Float]

  /// Reads `text` once. O(bytes).
  /// - Throws: `ModelError.invalidInput` for a text of fewer than 100 letters.
  init(reading text: [UInt8], progress: (Double) -> Void) throws(ModelError) {
    var counts = [Float](repeating: 1, count: Self.symbols * Self.symbols)  // of one more than were seen (Laplace)
    let symbols = Self.symbols(text)
    guard symbols.count >= 100 else {
      throw .invalidInput(model: "letters", reason: "the text has only \(symbols.count) letters; give a longer one")
    }
    for (first, second) in zip(symbols, symbols.dropFirst()) { counts[first * Self.symbols + second] += 1 }
    progress(0.5)
    surprise = (0..<Self.symbols).flatMap { first in
      let row = counts[first * Self.symbols..<(first + 1) * Self.symbols]
      let total = row.reduce(0, +)
      return row.map { -log($0 / total) }
    }
  }

  /// How unusual a text is: nats per letter.
  /// - Throws: `ModelError.invalidInput` for a text of fewer than two letters.
  func surprise(of text: String) throws(ModelError) -> Float {
    let symbols = Self.symbols(Array(text.utf8))
    guard symbols.count >= 2 else {
      throw .invalidInput(model: "letters", reason: "a text of two letters or more is needed")
    }
    let sum = zip(symbols, symbols.dropFirst()).reduce(Float(0)) { $0 + surprise[$1.0 * Self.symbols + $1.1] }
    return sum / Float(symbols.count - 1)
  }

  private static func symbols(_ text: [UInt8]) -> [Int] {
    text.map { byte in
      let lower = byte | 0x20
      return (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(lower) ? Int(lower - UInt8(ascii: "a")) : symbols - 1
    }
  }
}

// Step 2: what it needs of a machine.
extension ModelRequirements {
  static let letters = ModelRequirements(
    minimumMemory: 1_000_000, size: 100_000, int8Hardware: .optional, recommendedQuality: .high, expectedFrequency: 10)
}

// Step 3: how it is loaded, and the memory that it will take then. Tiers are loaders, the best first.
extension ModelLoader where Model == LetterPairs {
  /// - Parameter limit: bytes of the text that are read.
  static func letters(_ path: String, _ quality: ModelQuality, limit: Int) -> ModelLoader {
    let table = UInt64(LetterPairs.symbols * LetterPairs.symbols * MemoryLayout<Float>.stride)
    return ModelLoader(version: quality.rawValue, bytes: table + UInt64(limit)) { progress in
      let text = try TextFile.read(path, limit: limit)
      progress(0.2)
      return try LetterPairs(reading: text, progress: progress)
    }
  }
}

/// The first bytes of a file.
enum TextFile {
  /// - Throws: `ModelError.modelLoadFailed`.
  static func read(_ path: String, limit: Int) throws(ModelError) -> [UInt8] {
    guard let file = fopen(path, "r") else {
      throw .modelNotAvailable(model: "letters", reason: "\(path) cannot be read; give the path of a text file")
    }
    defer { fclose(file) }
    return [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
      count = fread(buffer.baseAddress, 1, limit, file)
    }
  }
}

@main
struct AddModel {
  static func main() async {
    let arguments = CommandLine.arguments.dropFirst()
    guard let path = arguments.first, arguments.count > 1 else {
      print("usage: AddModel TEXTFILE TEXT...")
      return
    }
    do {
      try await run(path, arguments.dropFirst())
    } catch {
      print("AddModel: \(error)")
    }
  }

  private static func run(_ path: String, _ texts: ArraySlice<String>) async throws {
    let device = DeviceCapability.read()
    if case .no(let reasons) = device.canRun(.letters) {
      throw ModelError.modelNotAvailable(model: "letters", reason: reasons.map(\.description).joined(separator: "; "))
    }
    // Step 4: it joins the others. One budget for all; nothing is loaded yet.
    let runtime = ModelRuntime(budget: 10_000_000)
    let letters = try await runtime.add(
      "letters", loader: .letters(path, .high, limit: 1 << 20), smaller: [.letters(path, .low, limit: 4096)])
    // Step 5: use it. The first use loads it, however many come at once.
    for text in texts {
      let surprise = try await letters.use { try $0.surprise(of: text) }
      print("\((surprise * 100).rounded() / 100) nats per letter: \(text)")
    }
    for model in await runtime.loadedModels() { print("\(model.name), \(model.version): \(model.bytes) bytes") }
    await runtime.unloadAll()
  }
}
