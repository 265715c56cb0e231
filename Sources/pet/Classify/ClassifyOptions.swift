// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import PetCommandLine
import PetEngine

/// What the commands that classify have in common.
struct ClassifyOptions: ParsableArguments {
  @Option(help: "high, medium or low; without it, what suits the device and the profile.")
  var quality: ModelQuality?

  @Option(help: ArgumentHelp("Write a picture (PNG) of the result; for one input.", valueName: "file"))
  var draw: String?

  @Flag(help: "With --draw: where was looked, too: regions, boxes, all points of a face or a body.")
  var drawBoxes = false

  @Flag(help: "Print one object per line: path, index, seconds, model, ms, result and error.")
  var json = false

  @OptionGroup var settings: SettingOptions
  @OptionGroup var confinement: ConfinementOptions

  func validate() throws {
    guard draw != nil || !drawBoxes else { throw ValidationError("--draw-boxes goes with --draw") }
    try SettingOptions.check(flags)
  }

  private var flags: [Configuration.Sources.Flag] {
    quality.map { [.init(.classifierQuality, $0.rawValue, name: "--quality")] } ?? []
  }

  func configuration() throws -> Configuration { try settings.configuration(flags) }

  /// Pictures and sounds are decoded by a process for each.
  static let decoder = MediaDecoder.sealed(fileLimit: AffectClassification.byteLimit)

  func seal(_ inputs: [String], endings: [String]) throws -> CommandSeal {
    _ = Self.decoder
    let seal = CommandSeal().reading(settings.config).making(draw).adding(try PetFolders.current().engineFiles)
    return inputs.filter { $0 != "-" }.reduce(seal) { $0.reading($1, endings: endings) }
  }

  /// The classifiers, none of them loaded.
  /// - Parameter observer: told of every inference.
  func classifiers(observer: @escaping Inference.Observer) async throws -> Classifiers {
    let configuration = try configuration()
    let runtime = ModelRuntime(configuration)
    return try await runtime.addClassifiers(configuration, in: ModelStore.current(), observer: observer)
  }
}

extension ModelQuality: ExpressibleByArgument {}
