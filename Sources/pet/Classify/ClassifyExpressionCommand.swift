// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import PetCommandLine
import PetEngine

struct ClassifyExpressionCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "expression", abstract: "What a face shows.",
    discussion: """
      Pictures are PNG or JPEG. Of several faces the one seen best is judged. The quality high tells 7 expressions apart, medium 5 \
      (angry, happy, neutral, sad, surprised), low 3 (distressed, happy, neutral).

      EXAMPLES
        pet classify expression photo.jpg
        pet classify expression photo.jpg --quality low --draw face.png
        pet classify expression photos --json
      """)

  @Argument(help: "Pictures, folders of them, or - for standard input, where they may stand one behind the other.")
  var input: [String]

  @OptionGroup var options: ClassifyOptions

  func run() async throws { try await ClassifyRun(ExpressionClassification(), options).run(input) }
}

extension ClassifyExpressionCommand: SealedCommand {
  var confinement: ConfinementOptions { options.confinement }

  func seal() throws -> CommandSeal { try options.seal(input, endings: ExpressionClassification.endings) }
}

struct ExpressionClassification: Classification {
  static let noun = "picture"
  static let endings = ["png", "jpg", "jpeg"]
  static let byteLimit = PictureSequence.fileLimit
  static let isSequence = true
  static let advice = "give a PNG or JPEG picture"
  static let caution = "A guess from one moment; a face is no feeling: pet models show facial-expression"

  func decode(_ bytes: [UInt8]) throws -> Picture { try ClassifyOptions.decoder.picture(bytes) }

  func classify(_ picture: Picture, index: Int, with classifiers: Classifiers) async throws -> ExpressionResult {
    try await classifiers.expression(picture)
  }

  func drawing(
    _ picture: Picture, _ result: ExpressionResult, showsBoxes: Bool, with classifiers: Classifiers
  ) -> Picture {
    picture.drawing(result, showsBoxes: showsBoxes)
  }

  func summary(_ result: ExpressionResult) -> String {
    guard let expression = result.expression else { return "no face" }
    return Self.ranking(expression)
  }

  func facts(_ result: ExpressionResult) -> [(label: String, value: String)] {
    guard let expression = result.expression else { return [("seen", "no face")] }
    let box = expression.box
    return [
      ("seen", "\(result.faces) \(result.faces == 1 ? "face" : "faces, of which the one seen best is judged")"),
      ("expression", Self.ranking(expression)),
      (
        "face",
        "\(Int(box.width)) x \(Int(box.height)) pixels at \(Int(box.x)), \(Int(box.y)); \(Shown.percent(expression.faceScore)) sure"
      ),
    ]
  }

  private static func ranking(_ expression: Expression) -> String {
    Shown.judgement(
      Shown.ranking(expression.probabilities.map { ($0.key.rawValue, $0.value) }), isClear: expression.isClear)
  }
}
