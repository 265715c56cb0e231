// SPDX-License-Identifier: Apache-2.0
import PetFiles

/// Why a configuration was refused.
public enum ConfigurationError: Error, Equatable, CustomStringConvertible {
  case file(FileError)
  /// A file that was asked for is not there.
  case missing(path: String)
  case tooLarge(path: String, limit: Int)
  case malformed(path: String, TOMLError)
  case unknown(name: String, SettingOrigin)
  /// A variable of the environment that looks like a setting and is none.
  case unknownVariable(String)
  /// A value that the setting cannot have, as it was written, and what it can have.
  case refused(key: SettingKey, value: String, allowed: String, SettingOrigin)

  public var description: String {
    switch self {
    case .file(let error): error.description
    case .missing(let path): "\(path): no such file; give --config the path of a file that is there, or leave it out"
    case .tooLarge(let path, let limit): "\(path): more than \(limit) bytes; a file of settings is smaller"
    case .malformed(let path, let error):
      "\(path):\(error.position.line):\(error.position.column): \(error.description)"
    case .unknown(let name, let origin):
      "\(origin): '\(name)' is no setting; "
        + (NearestName.of(name, among: SettingKey.allCases.map(\.rawValue)).map { "did you mean \($0)?" }
          ?? "there are \(SettingKey.allCases.map(\.rawValue).joined(separator: ", "))")
    case .unknownVariable(let name):
      "\(SettingInput.short(name)): no setting has this name in the environment"
        + (Configuration.variable(nearestTo: name).map { "; did you mean \($0)? Rename it, or unset it" }
          ?? "; unset it, or see `pet doctor --help`")
    case .refused(let key, let value, let allowed, let origin):
      switch origin {
      case .flag("--set"): "--set \(key.rawValue) is \(value); give \(allowed)"
      case .flag, .environment: "\(origin) is \(value); give \(allowed)"
      default: "\(origin): \(key.rawValue) is \(value); give \(allowed)"
      }
    }
  }
}
