// SPDX-License-Identifier: Apache-2.0
import PetCommandLine
import ArgumentParser
import PetEngine

struct PackCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pack",
    abstract: "Write a GGUF model with interleaved weights, the layout that this engine reads fastest.",
    discussion: """
      The profile phone interleaves copies of the weights whenever a model is loaded; watch runs from the file's row-major ones. \
      An interleaved file is never copied: as fast as the copies, with the memory of watch. Replies are the same. The file is \
      as large as the other and is for `pet` alone: other programs refuse it, and it cannot be quantized or interleaved again, \
      so keep the original. It appears when it is complete; an error leaves nothing. The same input gives the same bytes.

      EXAMPLES
        pet models pack model.gguf model.interleaved.gguf
        pet chat --profile watch --model model.interleaved.gguf
      """)

  @Argument(help: "The GGUF file to read.")
  var input: String

  @Argument(help: "The file to make.")
  var output: String

  @OptionGroup var confinement: ConfinementOptions

  @Flag(
    help: ArgumentHelp(
      "Print {\"output\", \"bytes_before\", \"bytes_after\", \"interleaved\", \"tensors\", \"source_sha256\"}."))
  var json = false

  private struct Report: Encodable {
    let output: String
    let bytesBefore: Int
    let bytesAfter: Int
    /// How many tensors are interleaved, of how many.
    let interleaved: Int
    let tensors: Int
    let source: String

    enum CodingKeys: String, CodingKey {
      case output, interleaved, tensors
      case bytesBefore = "bytes_before"
      case bytesAfter = "bytes_after"
      case source = "source_sha256"
    }
  }

  func run() throws {
    let progress = ConversionProgress(label: "interleaving \(ModelConverter.name(of: input))")
    defer { progress.finish() }
    let summary = try ModelInterleaver.interleave(input: input, output: output, progress: progress.update)
    progress.finish()
    if json {
      try JSONOutput.write(
        Report(
          output: output, bytesBefore: summary.inputBytes, bytesAfter: summary.outputBytes,
          interleaved: summary.interleaved, tensors: summary.tensors, source: summary.source.description))
    } else {
      Output.standard.tell(
        "\(output): \(ByteCount.text(UInt64(summary.outputBytes))), \(summary.interleaved) of \(summary.tensors) "
          + "tensors interleaved")
    }
  }
}

extension PackCommand: SealedCommand {
  func seal() -> CommandSeal { CommandSeal().reading(input).making(output) }
}
