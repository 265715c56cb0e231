// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import PetCommandLine
import PetEngine

struct ClassifyStressCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stress", abstract: "From recent mood words to low, moderate or high stress. No diagnosis.",
    discussion: """
      A table of how much words fit, from 0 (not at all) to 3 (very much): JSON, {"tired": 2, "happy": 1}, or a list of such objects; \
      or CSV, a line of words and a line for each observation. Any may be missing. The quality low looks at 8 words \
      (distressed, energetic, frustrated, happy, irritable, lonely, sleepy, tired), medium at 24, high at 65. It was trained \
      on people in laboratory studies, not on parents: `pet models show parent-stress`.

      EXAMPLES
        pet classify stress moods.csv
        echo '{"tired": 3, "frustrated": 2}' | pet classify stress - --json
      """)

  @Argument(help: "Tables (JSON or CSV), folders of them, or - for standard input.")
  var input: [String]

  @OptionGroup var options: ClassifyOptions

  func validate() throws {
    if options.draw != nil { throw ValidationError("there is nothing to draw of a table; leave --draw out") }
  }

  func run() async throws {
    let quality = try options.configuration().classifierQuality.value.quality ?? .high
    try await ClassifyRun(StressClassification(quality: quality), options).run(input)
  }
}

extension ClassifyStressCommand: SealedCommand {
  var confinement: ConfinementOptions { options.confinement }

  func seal() throws -> CommandSeal { try options.seal(input, endings: StressClassification.endings) }
}

struct StressClassification: Classification {
  static let noun = "table"
  static let endings = ["json", "csv"]
  static let byteLimit = 1 << 20
  static let isSequence = false
  static let advice = #"give JSON such as {"tired": 2, "happy": 1}, or CSV"#
  static let caution = "No diagnosis, and not trained on parents: pet models show parent-stress"

  let quality: ModelQuality

  func decode(_ bytes: [UInt8]) throws -> StressSignals { try StressSignals(bytes) }

  func classify(_ signals: StressSignals, index: Int, with classifiers: Classifiers) async throws -> StressAssessment {
    try await classifiers.stress(signals, quality: quality)
  }

  func drawing(
    _ signals: StressSignals, _ result: StressAssessment, showsBoxes: Bool, with classifiers: Classifiers
  ) throws -> Picture {
    throw ClassifierError.invalidInput("there is nothing to draw of a table")
  }

  func summary(_ result: StressAssessment) -> String {
    "\(Self.levels(result)); \(result.factors.map(Self.text).joined(separator: ", "))"
  }

  func facts(_ result: StressAssessment) -> [(label: String, value: String)] {
    var facts = [("stress", Self.levels(result))]
    for (index, factor) in result.factors.enumerated() {
      let (value, usual) = (Shown.tenths(Float(factor.value)), Shown.tenths(Float(factor.usual)))
      facts.append((index == 0 ? "weighed most" : "", "\(Self.text(factor)): \(value), usually \(usual)"))
    }
    facts.append(("looked at", "\(result.used.count) of \(result.used.count + result.imputed.count) signals"))
    for (index, notice) in result.notices.enumerated() { facts.append((index == 0 ? "to know" : "", notice)) }
    return facts
  }

  private static func levels(_ result: StressAssessment) -> String {
    Shown.judgement(
      Shown.ranking(result.probabilities.map { ($0.key.rawValue, Float($0.value)) }, count: 3), isClear: result.isClear)
  }

  private static func text(_ factor: StressAssessment.Factor) -> String {
    "\(factor.signal) \(factor.direction.rawValue) it"
  }
}
