// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import PetCommandLine
import PetFiles
import PetInference
import PetRuntime

/// The root command. Each group of commands is one entry of `subcommands`.
@main
struct Pet: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pet",
    abstract: "A companion that runs a language model on this machine, and nowhere else.",
    discussion: """
      EXAMPLES
        pet chat                        talk with the default model
        pet complete --prompt "Once"    continue a text
        pet classify pose photo.jpg     what a picture shows
        pet models pull                 fetch the default model and check it
        pet models list                 what is known, and what is here
        pet memory export               what a pet remembers, as JSON
        pet uninstall                   show what is kept here, and remove it
        pet top                         how a running petd fares
        pet privacy                     what keeps what you say on this machine
        pet doctor                      what this machine is and can do
        pet licences                    whose work this program is, on which terms

      MODELS
      A model is a name from `pet models list` or the path of a GGUF file. They live in PET_HOME/models, or in \
      XDG_DATA_HOME/pet/models, or in ~/.local/share/pet/models.

      SETTINGS
      Threads, context, memory and more: `pet doctor` shows them and where each came from; `pet doctor --help` says how to \
      change them.

      EXIT CODES
      0 done; 2 usage; 3 refused: a model, an input, or a place that is full, in use or not yours; 4 not enough memory, \
      or another limit of this process is too low; 70 a fault of this program; 130 stopped by Ctrl-C; 141 nobody reads the output \
      any more.
      """,
    version: "pet \(PetVersion.text)",
    subcommands: [
      ChatCommand.self,
      CompleteCommand.self,
      TokenizeCommand.self,
      PerplexityCommand.self,
      BenchCommand.self,
      LogitsCommand.self,
      ModelsCommand.self,
      ClassifyCommand.self,
      MemoryCommand.self,
      DoctorCommand.self,
      TopCommand.self,
      PrivacyCommand.self,
      LicencesCommand.self,
      UninstallCommand.self,
    ])

  static func main() async {
    StandardDescriptors.settle()
    StandardDescriptors.keepSystemLogClosed()
    ProcessSignals.ignoreBrokenPipe()
    ProcessSignals.ignoreFileSizeLimit()
    var words: [String] = []
    do {
      try StackLimit.check()
      words = try CommandArguments.own()
      try CommandNames<Pet>.check(words)
      var command = try parseAsRoot(words)
      try ProcessEnvironment.check(for: command)
      try DescriptorLimit.check(DescriptorLimit.command)
      if command is any AsyncParsableCommand {
        try AddressSpace.check(for: command is ChatCommand ? .conversation : .model)
      }
      try command.confineWhereAsked()
      // Confinement takes all handlers of crashes away.
      MappedFile.surviveLostPages()
      if var asynchronous = command as? any AsyncParsableCommand {
        try ThreadProbe.check()
        try await asynchronous.run()
      } else {
        try command.run()
      }
    } catch {
      CommandExit<Pet>.finish(with: error, words: words)
    }
  }
}
