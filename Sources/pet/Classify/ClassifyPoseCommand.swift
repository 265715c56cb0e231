// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import PetCommandLine
import PetEngine

struct ClassifyPoseCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pose", abstract: "Where a body's joints are, and whether it stands, sits, raises its arms or moves.",
    discussion: """
      Pictures are PNG or JPEG. Of several people the one seen best is taken; "people" says how many were seen. A folder, and \
      pictures one behind the other on standard input, are separate pictures, or with --fps a film: the person is followed from one \
      to the next, and smoothed.

      EXAMPLES
        pet classify pose photo.jpg
        pet classify pose photo.jpg --draw pose.png
        pet classify pose frames --fps 20 --json
        ffmpeg -i film.mp4 -f image2pipe -c:v mjpeg - | pet classify pose - --fps 25
      """)

  @Argument(help: "Pictures, folders of them, or - for standard input.")
  var input: [String]

  @Option(help: ArgumentHelp("The pictures are a film of so many a second.", valueName: "rate"))
  var fps: Double?

  @OptionGroup var options: ClassifyOptions

  func validate() throws {
    if let fps, !(fps > 0 && fps <= 1_000) { throw ValidationError("--fps is \(fps); give more than 0, up to 1000") }
  }

  func run() async throws { try await ClassifyRun(PoseClassification(fps: fps), options).run(input) }
}

extension ClassifyPoseCommand: SealedCommand {
  var confinement: ConfinementOptions { options.confinement }

  func seal() throws -> CommandSeal { try options.seal(input, endings: PoseClassification.endings) }
}

struct PoseClassification: Classification {
  static let noun = "picture"
  static let endings = ["png", "jpg", "jpeg"]
  static let byteLimit = PictureSequence.fileLimit
  static let isSequence = true
  static let advice = "give a PNG or JPEG picture"
  static let caution = "One body, as a network sees it. Joints that are not visible are guesses: pet models show pose"

  /// Nil where pictures have nothing to do with each other.
  let fps: Double?

  func decode(_ bytes: [UInt8]) throws -> Picture { try ClassifyOptions.decoder.picture(bytes) }

  func classify(_ picture: Picture, index: Int, with classifiers: Classifiers) async throws -> PoseResult {
    guard let fps else { return try await classifiers.pose(picture) }
    return try await classifiers.pose(following: picture, at: Double(index) / fps)
  }

  func drawing(
    _ picture: Picture, _ result: PoseResult, showsBoxes: Bool, with classifiers: Classifiers
  ) -> Picture {
    picture.drawing(result, showsBoxes: showsBoxes)
  }

  func summary(_ result: PoseResult) -> String {
    guard let pose = result.pose, let cues = result.cues else { return "nobody" }
    return "\(Self.text(cues)); \(Self.seen(pose)), \(Shown.percent(pose.score)) sure that it is a person"
  }

  func facts(_ result: PoseResult) -> [(label: String, value: String)] {
    guard let pose = result.pose, let cues = result.cues else { return [("seen", "nobody")] }
    let hidden = pose.landmarks.filter { $0.visibility < 0.5 }.map(\.joint.name)
    return [
      ("seen", "\(result.people) \(result.people == 1 ? "person" : "people, of whom the one seen best is told of")"),
      ("person", "\(Shown.percent(pose.score)) sure"),
      ("posture", Self.text(cues)),
      ("joints", Self.seen(pose)),
      ("guessed", hidden.isEmpty ? "none" : hidden.joined(separator: ", ")),
    ]
  }

  private static func seen(_ pose: Pose) -> String {
    "\(pose.landmarks.count { $0.visibility >= 0.5 }) of \(pose.landmarks.count) joints visible"
  }

  private static func text(_ cues: PoseCues) -> String {
    var parts = [cues.posture == .unknown ? "posture unclear" : cues.posture.rawValue]
    switch cues.raisedArms {
    case .none: break
    case .both: parts.append("both arms raised")
    case .left, .right: parts.append("\(cues.raisedArms.rawValue) arm raised")
    }
    if cues.motion != .unknown { parts.append(cues.motion.rawValue) }
    return parts.joined(separator: ", ")
  }
}
