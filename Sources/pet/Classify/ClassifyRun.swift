import ArgumentParser
import Glibc
import PetCommandLine
import PetEngine
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

  /// - Throws: what is wrong with the only input; `ExitCode` where that was printed, or of several some were refused.
  func run(_ names: [String]) async throws {
    let inputs = try ClassifyInput.find(names, endings: Kind.endings)
    let classifiers = try await options.classifiers { [last] in last.set($0) }
    let isOne = inputs.count == 1 && !(Kind.isSequence && names == ["-"])
    if options.draw != nil, !isOne { throw ValidationError("--draw draws one result; give one file") }
    if isOne { return try await runOne(inputs[0], with: classifiers) }
    let bar = ProgressBar("classifying", total: UInt64(inputs.count), unit: .results)
    defer { bar.finish() }
    let start = ContinuousClock.now
    var counts = (done: 0, refused: 0)
    for input in inputs {
      switch input {
      case .standardInput where Kind.isSequence:
        try await runSequence(&counts, with: classifiers)
        continue
      case .standardInput:
        try await tell("-", "standard input", &counts, with: classifiers) { try StandardInput.bytes() }
      case .file(let path):
        try await tell(path, path, &counts, with: classifiers) { try InputFile.bytes(path, limit: Kind.byteLimit) }
      }
      bar.update(UInt64(counts.done + counts.refused))
    }
    bar.finish()
    close(counts, since: start)
    if counts.refused > 0 { throw ExitCode(ExitStatus.refused.rawValue) }
  }

  private func runOne(_ input: ClassifyInput, with classifiers: Classifiers) async throws {
    if case .file(let path) = input, let draw = options.draw, Self.isSameFile(path, draw) {
      throw ValidationError("--draw \(draw): this is the input, which would be overwritten; name another file")
    }
    let (path, name, bytes) =
      switch input {
      case .file(let path): (path, path, try InputFile.bytes(path, limit: Kind.byteLimit))
      case .standardInput: ("-", "standard input", try StandardInput.bytes())
      }
    do {
      let decoded = try kind.decode(bytes)
      let result = try await kind.classify(decoded, index: 0, with: classifiers)
      if let draw = options.draw {
        let png = try await kind.drawing(decoded, result, with: classifiers).png()
        try png.withUnsafeBytes { try OpenFile.replace(draw, $0) }
      }
      guard !options.json else { return try write(ClassifyReport(path, last.value, result)) }
      var facts = [("input", name)] + kind.facts(result)
      if let inference = last.value { facts.append(("asked", Self.text(inference))) }
      Output.standard.write(FactLines.text(facts))
      Output.standard.writeLine(Kind.caution)
    } catch {
      throw try refused(error, path: path, name: name)
    }
  }

  private static func isSameFile(_ one: String, _ other: String) -> Bool {
    var (first, second) = (stat(), stat())
    return stat(one, &first) == 0 && stat(other, &second) == 0 && first.st_dev == second.st_dev
      && first.st_ino == second.st_ino
  }

  /// Pictures that come one behind the other, until something else comes or they end. One that is cut is refused alone.
  private func runSequence(_ counts: inout (done: Int, refused: Int), with classifiers: Classifiers) async throws {
    var sequence = PictureSequence()
    var isEnd = false
    while true {
      var file: [UInt8]?
      do {
        file = try sequence.next()
      } catch {
        throw try refused(error, path: "-", name: "standard input")
      }
      if file == nil {
        guard !isEnd else { break }
        let piece = try StandardInput.piece()
        isEnd = piece.isEmpty
        if isEnd { sequence.finish() } else { sequence.add(piece) }
        continue
      }
      try await tellNext(file ?? [], &counts, with: classifiers)
    }
    // That nothing came is told as what it is.
    if counts == (0, 0) { try await tellNext([], &counts, with: classifiers) }
  }

  private func tellNext(
    _ file: [UInt8], _ counts: inout (done: Int, refused: Int), with classifiers: Classifiers
  ) async throws {
    let number = counts.done + counts.refused + 1
    try await tell("-", "\(Kind.noun) \(number)", &counts, with: classifiers) { file }
  }

  /// One of several, in a line.
  /// - Throws: what is no fault of the input.
  private func tell(
    _ path: String, _ name: String, _ counts: inout (done: Int, refused: Int), with classifiers: Classifiers,
    _ bytes: () throws -> [UInt8]
  ) async throws {
    let index = counts.done + counts.refused
    do {
      let result = try await kind.classify(try kind.decode(bytes()), index: index, with: classifiers)
      if options.json {
        let isOfSequence = path == "-" && Kind.isSequence
        try write(ClassifyReport(path, last.value, result, index: isOfSequence ? index : nil))
      } else {
        Output.standard.tell("\(name): \(kind.summary(result))")
      }
      counts.done += 1
    } catch {
      let isInput = error is FileError || error is InputError
      guard let shown = Self.refusal(error, of: name) ?? (isInput ? error : nil) else { throw error }
      if options.json {
        try write(RefusalReport(path: path, error: "\(shown)"))
      } else {
        Output.error.tell("pet: \(shown)")
      }
      counts.refused += 1
    }
  }

  private func close(_ counts: (done: Int, refused: Int), since start: ContinuousClock.Instant) {
    guard !options.json else { return }
    let seconds = max((ContinuousClock.now - start) / .seconds(1), 0.001)
    let rate = Shown.tenths(Float(Double(counts.done) / seconds))
    let refused = counts.refused > 0 ? ", \(counts.refused) refused" : ""
    Output.error.tell("\(counts.done) \(Kind.noun)\(counts.done == 1 ? "" : "s"), \(rate) a second\(refused)")
    Output.standard.writeLine(Kind.caution)
  }

  private func write(_ value: some Encodable) throws { try JSONOutput.write(value, isPretty: false) }

  private static func text(_ inference: Inference) -> String {
    "\(inference.version), \(Shown.tenths(Float(inference.latency / .milliseconds(1)))) ms"
  }

  /// What ends the run; with `--json` what is wrong with the input is printed as a report before.
  private func refused(_ error: any Error, path: String, name: String) throws -> any Error {
    guard let shown = Self.refusal(error, of: name) else { return error }
    guard options.json else { return shown }
    try write(RefusalReport(path: path, error: "\(shown)"))
    return ExitCode(ExitStatus.refused.rawValue)
  }

  /// What is wrong with an input, where it is the input's fault.
  private static func refusal(_ error: any Error, of path: String) -> ClassifyError? {
    switch error {
    case ClassifierError.invalidInput(let reason), ModelError.invalidInput(_, let reason):
      .refused(path: path, reason: reason, advice: Kind.advice)
    default: nil
    }
  }
}

/// One result as `--json` prints it.
struct ClassifyReport<Result: Encodable>: Encodable {
  let path: String
  /// Of those that come through standard input, from 0.
  @OrNull var index: Int?
  @OrNull var model: String?
  /// Of the inference alone: without reading, decoding and the load of the model.
  @OrNull var ms: Double?
  let result: Result

  init(_ path: String, _ inference: Inference?, _ result: Result, index: Int? = nil) {
    self.path = path
    self.index = index
    model = inference?.version
    ms = inference.map { Rounding.milliseconds($0.latency) }
    self.result = result
  }
}

struct RefusalReport: Encodable {
  let path: String
  let error: String
}

/// The inference that was last told of.
final class LastInference: Sendable {
  private let inference = Mutex<Inference?>(nil)

  var value: Inference? { inference.withLock { $0 } }

  func set(_ value: Inference) { inference.withLock { $0 = value } }
}
