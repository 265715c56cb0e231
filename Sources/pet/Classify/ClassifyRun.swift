// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Glibc
import PetCommandLine
import PetEngine
import PetFiles
import Synchronization

/// Input after input, result after result.
struct ClassifyRun<Kind: Classification>: Sendable {
  let kind: Kind
  let options: ClassifyOptions
  private let last = LastInference()

  init(_ kind: Kind, _ options: ClassifyOptions) {
    self.kind = kind
    self.options = options
  }

  private struct Tally {
    var done = 0
    var refused = 0

    var count: Int { done + refused }
  }

  /// - Throws: what is wrong with the only input; `ExitCode` where of several some were refused.
  func run(_ names: [String]) async throws {
    let inputs = ClassifyInput.find(names, endings: Kind.endings)
    let isOne = inputs.count == 1 && !(Kind.isSequence && names == ["-"])
    if options.draw != nil, !isOne { throw ValidationError("--draw draws one result; give one file") }
    let classifiers = try await options.classifiers { [last] in last.set($0) }
    if isOne { return try await runOne(inputs[0], with: classifiers) }
    let bar = ProgressBar("classifying", total: UInt64(inputs.count), unit: .results)
    defer { bar.finish() }
    let start = ContinuousClock.now
    var tally = Tally()
    for input in inputs {
      if case .standardInput = input, Kind.isSequence {
        try await runSequence(&tally, with: classifiers)
        continue
      }
      try await tell(input.path, input.name, &tally, with: classifiers) { try Self.bytes(of: input) }
      bar.update(UInt64(tally.count))
    }
    bar.finish()
    close(tally, since: start)
    if tally.refused > 0 { throw ExitCode(ExitStatus.refused.rawValue) }
  }

  private func runOne(_ input: ClassifyInput, with classifiers: Classifiers) async throws {
    if case .file(let path) = input, let draw = options.draw, FilePath.isSameFile(path, draw) {
      throw ValidationError("--draw \(draw): this is the input, which would be overwritten; name another file")
    }
    do {
      let decoded = try kind.decode(try Self.bytes(of: input))
      let result = try await kind.classify(decoded, index: 0, with: classifiers)
      if let draw = options.draw {
        let png = try await kind.drawing(
          decoded, result, showsBoxes: options.drawBoxes, with: classifiers
        ).png()
        try png.withUnsafeBytes { try OpenFile.replace(draw, $0) }
      }
      guard !options.json else { return try write(ClassifyReport(input.path, last.value, result)) }
      var facts = [("input", input.name)] + kind.facts(result)
      if let inference = last.value { facts.append(("asked", Self.text(inference))) }
      Output.standard.write(FactLines.text(facts))
      Output.standard.writeLine(Kind.caution)
    } catch {
      guard let shown = Self.refusal(error, of: input.name) else { throw error }
      if options.json { try write(ClassifyReport<Kind.Result>(input.path, refused: shown)) }
      throw shown
    }
  }

  private static func bytes(of input: ClassifyInput) throws -> [UInt8] {
    switch input {
    case .file(let path): try InputFile.bytes(path, limit: Kind.byteLimit)
    case .standardInput: try StandardInput.bytes()
    case .nothing(_, let error): throw error
    }
  }

  /// Pictures that come one behind the other, until something else comes or they end. One that is cut is refused alone.
  private func runSequence(_ tally: inout Tally, with classifiers: Classifiers) async throws {
    var sequence = PictureSequence()
    var (index, isEnd) = (0, false)
    while true {
      var file: [UInt8]?
      do {
        file = try sequence.next()
        if file == nil, !isEnd {
          let piece = try StandardInput.piece()
          isEnd = piece.isEmpty
          if isEnd { sequence.finish() } else { sequence.add(piece) }
          continue
        }
      } catch {
        // Where the next one would begin nobody knows.
        return try await tell("-", "standard input", index: index, &tally, with: classifiers) { throw error }
      }
      guard let file else { break }
      try await tellNext(file, index, &tally, with: classifiers)
      index += 1
    }
    // That nothing came is told as what it is.
    if index == 0 { try await tellNext([], index, &tally, with: classifiers) }
  }

  private func tellNext(
    _ file: [UInt8], _ index: Int, _ tally: inout Tally, with classifiers: Classifiers
  ) async throws {
    try await tell("-", "\(Kind.noun) \(index + 1)", index: index, &tally, with: classifiers) { file }
  }

  /// One of several, in a line.
  /// - Parameter index: of what comes through standard input.
  /// - Throws: what is no fault of the input.
  private func tell(
    _ path: String, _ name: String, index: Int? = nil, _ tally: inout Tally, with classifiers: Classifiers,
    _ bytes: () throws -> [UInt8]
  ) async throws {
    do {
      let result = try await kind.classify(try kind.decode(bytes()), index: tally.count, with: classifiers)
      if options.json {
        try write(ClassifyReport(path, index: index, last.value, result))
      } else {
        Output.standard.tell("\(name): \(kind.summary(result))")
      }
      tally.done += 1
    } catch {
      guard let shown = Self.refusal(error, of: name) else { throw error }
      if options.json { try write(ClassifyReport<Kind.Result>(path, index: index, refused: shown)) }
      Output.error.tell("pet: \(shown)")
      tally.refused += 1
    }
  }

  private func close(_ tally: Tally, since start: ContinuousClock.Instant) {
    guard !options.json else { return }
    let refused = tally.refused > 0 ? ", \(tally.refused) refused" : ""
    let seconds = max((ContinuousClock.now - start) / .seconds(1), 0.001)
    // Of none there is no speed.
    let rate = tally.done > 0 ? ", \(Shown.tenths(Float(Double(tally.done) / seconds))) a second" : ""
    Output.error.tell("\(tally.done) \(Kind.noun)\(tally.done == 1 ? "" : "s")\(rate)\(refused)")
    if tally.done > 0 { Output.standard.writeLine(Kind.caution) }
  }

  private func write(_ value: some Encodable) throws { try JSONOutput.write(value, isPretty: false) }

  private static func text(_ inference: Inference) -> String {
    "\(inference.version), \(Shown.tenths(Float(inference.latency / .milliseconds(1)))) ms"
  }

  /// What is wrong with an input, where it is the input's fault, or that of the file to draw into.
  static func refusal(_ error: any Error, of path: String) -> (any UserFacingError)? {
    switch error {
    case ClassifierError.invalidInput(let reason), ModelError.invalidInput(_, let reason):
      ClassifyError.refused(path: path, reason: reason, advice: Kind.advice)
    case let error as FileError: error
    case let error as InputError: error
    case let error as ClassifyError: error
    default: nil
    }
  }
}

/// The inference that was last told of.
final class LastInference: Sendable {
  private let inference = Mutex<Inference?>(nil)

  var value: Inference? { inference.withLock { $0 } }

  func set(_ value: Inference) { inference.withLock { $0 = value } }
}
