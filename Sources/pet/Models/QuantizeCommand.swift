// SPDX-License-Identifier: Apache-2.0
import PetCommandLine
import ArgumentParser
import PetEngine

struct QuantizeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "quantize",
    abstract: "Write a GGUF model in other tensor types, with an adapter merged if you give one.",
    discussion: """
      Types: F32, F16, BF16, Q8_0, Q6_K, Q5_K, Q5_1, Q5_0, Q4_K, Q4_1, Q4_0, Q3_K, Q2_K. Mixes, with better types where errors \
      cost most, as llama.cpp chooses: Q5_K_M, Q4_K_M, Q4_K_S. Vectors stay F32. Blocks of Q6_K, Q5_K, Q4_K, Q3_K and Q2_K \
      have 256 elements, the others 32: matrices whose rows are no multiple get Q8_0, Q5_1, Q5_0, Q4_0, Q4_0, and F16 \
      where that does not fit either. What has its type already is copied. The adapter is a LoRA in the GGUF form of \
      llama.cpp, made for this model. Memory stays at a few megabytes. The file appears when it is complete; an error leaves \
      nothing. The same input gives the same bytes.

      EXAMPLES
        pet models quantize model.gguf small.gguf --type Q4_K_M
        pet models quantize IN OUT --type Q4_1 --keep token_embd.weight=Q8_0
        pet models quantize IN OUT --type Q4_0 --keep 'blk.*.ffn_down.weight=Q8_0'
        pet models quantize base.gguf tuned.gguf --type Q8_0 --adapter lora.gguf
      """)

  @Argument(help: "The GGUF file to read.")
  var input: String

  @Argument(help: "The GGUF file to make.")
  var output: String

  @Option(help: "Type of the matrices, or a mix of types.")
  var type: QuantizationTarget

  @Option(
    help: ArgumentHelp(
      "Another type for the matrices of that name; * and ? stand for other characters. Of several that match, the last "
        + "counts.", valueName: "GLOB=TYPE"))
  var keep: [TensorTypeRule] = []

  @Option(help: ArgumentHelp("A LoRA adapter to make part of the weights.", valueName: "FILE"))
  var adapter: String?

  @Option(help: "Threads that quantize; without it, one per processor that this process may use.")
  var threads: Int?

  @OptionGroup var confinement: ConfinementOptions

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
    /// Names of the tensors that have another type than was asked for, because of their rows.
    let fallbacks: [String]
    let adapted: Int
    let copied: Int

    enum CodingKeys: String, CodingKey {
      case output, types, fallbacks, adapted, copied
      case bytesBefore = "bytes_before"
      case bytesAfter = "bytes_after"
    }
  }

  func validate() throws {
    if let threads, !(1...256).contains(threads) {
      throw ValidationError("--threads is \(threads); give a number from 1 to 256")
    }
  }

  func run() throws {
    let progress = ConversionProgress(label: "quantizing \(ModelConverter.name(of: input))")
    defer { progress.finish() }
    let summary = try ModelQuantizer.quantize(
      input: input, output: output, types: TensorTypeRules(type, overrides: keep), adapter: adapter,
      threadCount: threads ?? ProcessorShare.read().threadCount, progress: progress.update)
    progress.finish()
    if json {
      try JSONOutput.write(
        Report(
          output: output, bytesBefore: summary.inputBytes, bytesAfter: summary.outputBytes,
          types: Dictionary(uniqueKeysWithValues: summary.types.map { ($0.type.name, $0.count) }),
          fallbacks: summary.fallbacks.map(\.tensor), adapted: summary.adapted, copied: summary.copied))
    } else {
      Output.standard.writeLine(text(summary))
    }
  }

  private func text(_ summary: QuantizationSummary) -> String {
    let types = summary.types.map { "\($0.count) \($0.type.name)" }.joined(separator: ", ")
    let (before, after) = (ByteCount.text(UInt64(summary.inputBytes)), ByteCount.text(UInt64(summary.outputBytes)))
    var text = "\(output): \(before) before, \(after) now; tensors: \(types)"
    if adapter != nil { text += "; \(summary.adapted) changed by the adapter" }
    return ([text] + fallbacks(summary)).map(TerminalText.line).joined(separator: "\n")
  }

  /// "30 Q5_0 instead of Q4_K, their rows being no multiple of 256: blk.0.attn_q.weight, ... and 27 more"
  private func fallbacks(_ summary: QuantizationSummary) -> [String] {
    var groups: [[QuantizationSummary.Fallback]] = []
    for fallback in summary.fallbacks {
      let index = groups.firstIndex { $0[0].type == fallback.type && $0[0].refused == fallback.refused }
      if let index { groups[index].append(fallback) } else { groups.append([fallback]) }
    }
    return groups.map { group in
      let names = group.map(\.tensor)
      let shown = names.count > 4 ? names.prefix(3) + ["and \(names.count - 3) more"] : names[...]
      let (type, refused) = (group[0].type, group[0].refused)
      return "\(names.count) \(type.name) instead of \(refused.name), their rows being no multiple of "
        + "\(refused.tensorType.blockElements): \(shown.joined(separator: ", "))"
    }
  }
}

extension QuantizationTarget: ExpressibleByArgument {
  public init?(argument: String) { self.init(name: argument) }
}

extension TensorTypeRule: ExpressibleByArgument {
  public init?(argument: String) { self.init(text: argument) }
}

extension QuantizeCommand: SealedCommand {
  func seal() -> CommandSeal { CommandSeal().reading(input, adapter).making(output) }
}
