// SPDX-License-Identifier: Apache-2.0
import CInstrumentation
import Glibc

#if !FUZZING
  /// Runs inputs through a target.
  ///
  ///     Fuzz list                              the targets
  ///     Fuzz run TARGET FILE...                these files
  ///     Fuzz kept TARGET NUMBER SEED           all files that are kept, then so many changed at random
  ///     Fuzz leaks TARGET ROUNDS               all files that are kept, so often; tells what each round left allocated, at least
  ///     Fuzz show TARGET NUMBER SEED           writes one of those to standard output
  ///
  /// What is about to run stands at the beginning of standard output, which is a file: what broke is known when this program died.
  @main struct Fuzz {
    static func main() {
      let words = CommandLine.arguments.dropFirst()
      if words.first == "list" { return print(FuzzTarget.allCases.map(\.rawValue).joined(separator: "\n")) }
      guard words.count >= 3, let target = words.dropFirst().first.flatMap(FuzzTarget.init(rawValue:)) else {
        fail(2, "Fuzz list | run TARGET FILE... | leaks TARGET ROUNDS | kept or show TARGET NUMBER SEED")
      }
      let rest = Array(words.dropFirst(2))
      switch (words.first, Int(rest[0]), rest.last.flatMap(UInt64.init)) {
      case ("run", _, _):
        for path in rest { run(target, path) }
      case ("kept", let mutations?, let seed?):
        let paths = SeedFiles.paths(of: target)
        for path in paths { run(target, path) }
        var mutator = Mutator(paths.compactMap(SeedFiles.read), seed: seed)
        for number in 0..<mutations {
          note("\(target) \(number) \(seed)")
          target.run(mutator.next())
        }
        note("ended")
      case ("leaks", let rounds?, _): print(leastGrowth(target, rounds))
      case ("show", let number?, let seed?):
        var mutator = Mutator(SeedFiles.paths(of: target).compactMap(SeedFiles.read), seed: seed)
        for _ in 0..<number { _ = mutator.next() }
        let bytes = mutator.next()
        guard write(1, bytes, bytes.count) == bytes.count else { fail(70, "standard output takes no more") }
      default: exit(2)
      }
    }

    private static func run(_ target: FuzzTarget, _ path: String) {
      guard let bytes = SeedFiles.read(path) else { fail(3, "\(path): cannot be read") }
      note(path)
      target.run(bytes)
    }

    /// Bytes that each round left at least: what is made once and kept, and the seven free pieces of each size that threads keep for
    /// themselves, do not come in every one of many rounds; what is lost does.
    private static func leastGrowth(_ target: FuzzTarget, _ rounds: Int) -> Int {
      let inputs = SeedFiles.paths(of: target).compactMap(SeedFiles.read)
      var (least, before) = (Int.max, allocated_bytes())
      for _ in 0..<rounds {
        for input in inputs { target.run(input) }
        let now = allocated_bytes()
        (least, before) = (min(least, now - before), now)
      }
      return least
    }

    private static func fail(_ status: Int32, _ message: String) -> Never {
      let line = message + "\n"
      _ = write(2, line, line.utf8.count)
      exit(status)
    }

    private static func note(_ text: String) {
      let line = text + String(repeating: " ", count: max(0, 255 - text.utf8.count)) + "\n"
      // On a terminal or a pipe nothing is noted.
      pwrite(1, line, line.utf8.count, 0)
    }
  }
#else
  /// The target is named by the environment variable PET_FUZZ.
  private let target: FuzzTarget = {
    guard let name = getenv("PET_FUZZ"), let target = FuzzTarget(rawValue: String(cString: name)) else {
      fatalError("set PET_FUZZ to one of \(FuzzTarget.allCases.map(\.rawValue))")
    }
    return target
  }()

  /// Before libFuzzer begins: of the counters of the whole program it is shown those that kept and changed inputs move, and what lies around.
  @_cdecl("LLVMFuzzerInitialize")
  public func initialize(_ count: UnsafeMutableRawPointer?, _ arguments: UnsafeMutableRawPointer?) -> Int32 {
    let inputs = SeedFiles.paths(of: target).compactMap(SeedFiles.read)
    for input in inputs { target.run(input) }
    var mutator = Mutator(inputs, seed: 1)
    for _ in 0..<1000 { target.run(mutator.next()) }
    watch_moved_counters()
    return 0
  }

  /// What libFuzzer calls: https://llvm.org/docs/LibFuzzer.html
  @_cdecl("LLVMFuzzerTestOneInput")
  public func testOneInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    target.run(Array(UnsafeBufferPointer(start: data, count: size)))
    return 0
  }
#endif
