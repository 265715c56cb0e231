// SPDX-License-Identifier: Apache-2.0
import PetCommandLine
import ArgumentParser
import Glibc
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

      The first report measures for a quarter of a second how fast this machine reads memory and multiplies, and keeps that in PET_HOME/models: \
      the tier, and the tokens per second that each model is estimated to reach, follow from it. In the profile watch nothing is measured \
      unless --measure asks for it; the tier then follows from the instruction sets.

      --fix mends what is not as it should be: it fetches the model of the settings and those that are damaged, installs parent-stress \
      where the source of this program is at hand, and removes the socket of a petd that has ended, drafts of programs that were ended and \
      rights of others. At a terminal it asks before each; elsewhere it only lists them, unless --yes is given. Exit code 3 where something \
      could not be mended.

      EXAMPLES
        pet doctor
        pet doctor --measure
        pet doctor --fix
        pet doctor --profile watch --set context=1024
        pet doctor --config settings.toml --json
      """)

  @OptionGroup var settings: SettingOptions

  @Flag(help: "Print one object.")
  var json = false

  @Flag(help: "Measure this machine anew.")
  var measure = false

  @Flag(help: "Offer to mend what is not as it should be.")
  var fix = false

  @Flag(help: "With --fix: do not ask.")
  var yes = false

  func validate() throws {
    guard fix || !yes else { throw ValidationError("--yes goes with --fix") }
  }

  func run() throws {
    let configuration = try settings.configuration()
    let store = try ModelStore.current()
    let hasTerminal = isatty(STDIN_FILENO) == 1 && Output.standard.isTerminal && !json
    let consent = Fixes.Consent.decide(isYes: yes, hasTerminal: hasTerminal)
    let home = try PetFolders.current().data
    let flaws = fix ? FlawSearch(store: store, configuration: configuration, home: home).flaws() : []
    // Before the first thread.
    if consent != .none, flaws.contains(where: \.needsInspection) { try SealedInspection.start() }
    var capability = DeviceCapability.read(models: store.folder)
    let speed = SpeedReport(
      capability, profile: configuration.profile.value, isAsked: measure, models: store.folder)
    capability.speed = speed.figures
    var report = DoctorReport(configuration: configuration, capability: capability, speed: speed, store: store)
    if !json { Output.standard.write(report.text) }
    if fix {
      if !json { Output.standard.write("\n") }
      let fixes = Fixes(mender: Mender(store: store, home: home), consent: consent) { line in
        if !json { Output.standard.tell(line) }
      }
      let done = fixes.run(flaws)
      // What was fetched counts.
      report = DoctorReport(
        configuration: configuration, capability: capability, speed: speed, store: try .current(), fixes: done)
      if !json, consent == .none, flaws.contains(where: \.isMendable) {
        Output.standard.tell("nothing was changed; --yes mends what can be mended")
      }
    }
    if json { try JSONOutput.write(report) }
    if let failed = report.fixes?.count(where: { $0.outcome == .failed }), failed > 0 {
      throw MendingError.left(failed: failed, of: flaws.count)
    }
    if let refusal = report.refusal { throw refusal }
  }
}
