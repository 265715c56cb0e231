// SPDX-License-Identifier: Apache-2.0
import PetCompanion
import PetRuntime

extension SafetyNet {
  /// What a configuration asks for, for who speaks the language of an environment.
  package init(_ configuration: Configuration, _ environment: [String: String]) {
    self.init(
      scope: configuration.safety.value == .care ? .everyModel : .petModels,
      region: CrisisResources.code(ofEnvironment: environment))
  }
}
