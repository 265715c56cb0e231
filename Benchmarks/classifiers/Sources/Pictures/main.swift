import FoundationEssentials
import PetClassifiers
import PetInference
import PetRuntime

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

// Pictures MODELS PICTURE pose|expression high|medium|low: one classifier on one thread, a process of its own so that memory
// is its own.
let arguments = CommandLine.arguments
guard arguments.count == 5, let quality = ModelQuality(rawValue: arguments[4]) else {
  print("usage: Pictures MODELS PICTURE pose|expression high|medium|low")
  exit(2)
}

func weights(_ name: String) throws -> GGUFWeights {
  try GGUFWeights(GGUFFile(path: URL(filePath: arguments[1]).appending(path: "\(name).gguf").path))
}

let picture = try Picture(Array(Data(contentsOf: URL(filePath: arguments[2]))))
let before = residentMegabytes()
let clock = ContinuousClock()
let start = clock.now

switch arguments[3] {
case "pose":
  let classifier = try PoseClassifier(
    detector: weights("pose-detector"), landmarks: weights("pose-landmarks"), quality: quality)
  report(load: start.duration(to: clock.now))
  print("  picture     \(try Measurement { _ = try classifier.classify(picture) })")
  var seconds = 0.0
  print(
    "  next frame  \(try Measurement { seconds += 0.05; _ = try classifier.follow(picture, at: seconds) })")
  print("  memory      \(rounded(residentMegabytes() - before)) MB")
default:
  let classifier = try ExpressionClassifier(
    detector: weights("face-detector"), landmarks: quality == .low ? nil : weights("face-landmarks"),
    expression: weights(quality == .high ? "expression-high" : "expression-medium"), quality: quality)
  report(load: start.duration(to: clock.now))
  print("  picture     \(try Measurement { _ = try classifier.classify(picture) })")
  print("  memory      \(rounded(residentMegabytes() - before)) MB")
}

func report(load: Duration) {
  print("\(arguments[3]) \(quality), \(picture.width) x \(picture.height): P50 / P95 / P99 of \(Measurement.runs)")
  print("  load        \(rounded(load.milliseconds)) ms")
}
