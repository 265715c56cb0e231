// SPDX-License-Identifier: Apache-2.0
import PetCommandLine
import ArgumentParser
import PetEngine
import PetRuntime

struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "What this machine is, what the engine makes of it, its settings, and how the models are.",
    discussion: """
      Settings come from the profile, then from a file (PET_HOME/config.toml or --config), then from the environment, then from \
      arguments; the last one holds. In the environment a setting has its name in capitals after PET_, with "_" for \
      ".": PET_THREADS, PET_MEMORY_BUDGET; one that is misspelt is refused. Models are judged by their size; `pet models verify` reads them whole. Exit code 3, after the report, where \
      the model of the settings cannot be used.

      EXAMPLES
        pet doctor
        pet doctor --profile watch --set context=1024
        pet doctor --config settings.toml --json
      """)

  @OptionGroup var settings: SettingOptions

  @Flag(help: "Print one object.")
  var json = false

  func run() throws {
    let report = DoctorReport(
      configuration: try settings.configuration(), capability: .read(), store: try .current())
    if json {
      try JSONOutput.write(report)
    } else {
      Output.standard.write(report.text)
    }
    if let refusal = report.refusal { throw refusal }
  }
}
