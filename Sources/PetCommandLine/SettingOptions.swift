// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import PetEngine

/// The options by which every command that runs a model is set.
package struct SettingOptions: ParsableArguments {
  @Option(help: "How much of the machine to take, and which model is the default: phone, or watch (the built-in one).")
  package var profile: Profile?

  @Option(help: ArgumentHelp("A file of settings in the place of PET_HOME/config.toml.", valueName: "file"))
  package var config: String?

  @Option(
    name: .customLong("set"),
    help: ArgumentHelp("Another setting, as in kv_cache=q8_0; `pet doctor` lists them.", valueName: "setting=value"))
  package var settings: [String] = []

  package init() {}

  package func validate() throws { try Self.check(flags()) }

  /// Refuses what no file and no environment could mend.
  package static func check(_ flags: [Configuration.Sources.Flag]) throws {
    do {
      _ = try Configuration(.init(flags: flags), share: { ProcessorShare(allowed: 1, quota: nil) })
    } catch {
      throw ValidationError("\(error)")
    }
  }

  /// The file, the environment of this process, then the options here, then `others`.
  package func configuration(_ others: [Configuration.Sources.Flag] = []) throws -> Configuration {
    let environment = ProcessEnvironment.current
    // A file that was named needs no folder for the usual one.
    let usual = config == nil ? try PetFolders(environment: environment).data + "/config.toml" : nil
    return try Configuration(
      .init(usualFile: usual, file: config, environment: environment, flags: flags() + others))
  }

  package func flags() throws -> [Configuration.Sources.Flag] {
    let own = try settings.map { text in
      guard let equals = text.firstIndex(of: "=") else {
        throw ValidationError("--set is \(text); give a setting and its value, as in --set context=1024")
      }
      let name = String(text[..<equals])
      guard let key = SettingKey(rawValue: name) else {
        throw ValidationError("\(ConfigurationError.unknown(name: name, .flag(name: "--set")))")
      }
      return Configuration.Sources.Flag(key, String(text[text.index(after: equals)...]), name: "--set")
    }
    return own + (profile.map { [.init(.profile, $0.rawValue, name: "--profile")] } ?? [])
  }
}

extension Profile: ExpressibleByArgument {}
