// SPDX-License-Identifier: Apache-2.0
import PetCommandLine
import ArgumentParser
import PetInference
import PetLanguage

struct ConvertCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "convert", abstract: "Turn a Hugging Face folder of a Llama or Phi-3 model into a GGUF file.",
    discussion: """
      The folder holds config.json, model.safetensors (or shards with their index) and tokenizer.model. Memory stays at \
      a few megabytes, whatever the size of the model. The file appears when it is complete; an error leaves nothing.

      EXAMPLES
        pet models convert Phi-3-mini-4k-instruct
        pet models convert my-llama --output my-llama.gguf --type f16
      """)

  @Argument(help: "The folder of the model.")
  var folder: String

  @Option(help: "The file to make; by default the folder's name and .gguf, in the current folder.")
  var output: String?

  @Option(help: "Type of the weights: f32, f16, bf16, or keep for as they are stored.")
  var type: WeightPrecision = .keep

  @OptionGroup var confinement: ConfinementOptions

  @Flag(help: "Print {\"output\", \"architecture\", \"tensors\", \"parameters\", \"bytes\"}.")
  var json = false

  private struct Report: Encodable {
    let output: String
    let architecture: String
    let tensors: Int
    let parameters: Int
    let bytes: Int
  }

  private var path: String { output ?? ModelConverter.name(of: folder) + ".gguf" }

  func validate() throws {
    if folder.isEmpty { throw ValidationError("the name of the folder is empty; give its path") }
  }

  func run() throws {
    let name = ModelConverter.name(of: folder)
    let progress = ConversionProgress(label: "converting \(name)")
    defer { progress.finish() }
    let summary = try ModelConverter.convert(folder: folder, output: path, precision: type, progress: progress.update)
    progress.finish()
    if json {
      try JSONOutput.write(
        Report(
          output: path, architecture: summary.architecture, tensors: summary.tensorCount,
          parameters: summary.parameterCount, bytes: summary.tensorBytes))
    } else {
      Output.standard.tell(
        "\(path): \(summary.architecture), \(summary.tensorCount) tensors, "
          + "\(ByteCount.text(UInt64(summary.tensorBytes)))")
    }
  }
}

extension WeightPrecision: ExpressibleByArgument {}

extension ConvertCommand: SealedCommand {
  func seal() -> CommandSeal {
    CommandSeal().reading(folder, endings: ["json", "safetensors", "model"]).making(path)
  }
}
