import ArgumentParser
import PetInference
import PetLanguage

struct QuantizeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "quantize",
    abstract: "Write a GGUF model in other tensor types, with an adapter merged if you give one.",
    discussion: """
      Types: F32, F16, BF16, Q8_0, Q5_1, Q5_0, Q4_1, Q4_0. Vectors stay F32; matrices whose rows are no multiple of 32
      become F16 where a quantized type is asked for; what has its type already is copied. The adapter is a LoRA in the
      GGUF form of llama.cpp, made for this model. Memory stays at a few megabytes. The file appears when it is complete;
      an error leaves nothing. The same input gives the same bytes.

      EXAMPLES
        pet models quantize model.gguf small.gguf --type Q4_1
        pet models quantize model.gguf small.gguf --type Q4_1 --keep token_embd.weight=Q8_0
        pet models quantize model.gguf small.gguf --type Q4_0 --keep 'blk.*.ffn_down.weight=Q8_0'
        pet models quantize base.gguf tuned.gguf --type Q8_0 --adapter lora.gguf
      """)

  @Argument(help: "The GGUF file to read.")
  var input: String

  @Argument(help: "The GGUF file to make.")
  var output: String

  @Option(help: "Type of the matrices.")
  var type: QuantizationType

  @Option(
    help: ArgumentHelp(
      "Another type for the matrices of that name; * and ? stand for other characters. Of several that match, the last "
        + "counts.", valueName: "GLOB=TYPE"))
  var keep: [TensorTypeRule] = []

  @Option(help: ArgumentHelp("A LoRA adapter to make part of the weights.", valueName: "FILE"))
  var adapter: String?

  @Flag(
    help: ArgumentHelp(
      "Print {\"output\", \"bytes_before\", \"bytes_after\", \"types\", \"fallbacks\", \"adapted\", \"copied\"}."))
  var json = false

  private struct Report: Encodable {
    let output: String
    let bytesBefore: Int
    let bytesAfter: Int
    /// Tensors per type.
    let types: [String: Int]
    /// Names of the tensors that are F16 because of their rows.
    let fallbacks: [String]
    let adapted: Int
    let copied: Int

    enum CodingKeys: String, CodingKey {
      case output, types, fallbacks, adapted, copied
      case bytesBefore = "bytes_before"
      case bytesAfter = "bytes_after"
    }
  }

  func run() throws {
    let progress = ConversionProgress(label: "quantizing \(ModelConverter.name(of: input))")
    defer { progress.finish() }
    let summary = try ModelQuantizer.quantize(
      input: input, output: output, types: TensorTypeRules(type, overrides: keep), adapter: adapter,
      progress: progress.update)
    progress.finish()
    if json {
      try JSONOutput.write(
        Report(
          output: output, bytesBefore: summary.inputBytes, bytesAfter: summary.outputBytes,
          types: Dictionary(uniqueKeysWithValues: summary.types.map { ($0.type.name, $0.count) }),
          fallbacks: summary.fallbacks, adapted: summary.adapted, copied: summary.copied))
    } else {
      Output.standard.writeLine(text(summary))
    }
  }

  private func text(_ summary: QuantizationSummary) -> String {
    let types = summary.types.map { "\($0.count) \($0.type.name)" }.joined(separator: ", ")
    let (before, after) = (ByteCount.text(UInt64(summary.inputBytes)), ByteCount.text(UInt64(summary.outputBytes)))
    var text = "\(output): \(before) before, \(after) now; tensors: \(types)"
    if adapter != nil { text += "; \(summary.adapted) changed by the adapter" }
    if !summary.fallbacks.isEmpty {
      text += "\nF16, their rows being no multiple of 32: \(summary.fallbacks.joined(separator: ", "))"
    }
    return text
  }
}

extension QuantizationType: ExpressibleByArgument {
  public init?(argument: String) { self.init(name: argument) }
}

extension TensorTypeRule: ExpressibleByArgument {
  public init?(argument: String) { self.init(text: argument) }
}
