// SPDX-License-Identifier: Apache-2.0
/// A value, and where it came from.
public struct Setting<Value: Sendable & Equatable>: Sendable, Equatable {
  public let value: Value
  public let origin: SettingOrigin

  package init(_ value: Value, _ origin: SettingOrigin) {
    self.value = value
    self.origin = origin
  }
}

/// Where a value came from, in the order in which one gives way to the next.
public enum SettingOrigin: Sendable, Equatable, CustomStringConvertible {
  /// Nobody asked for anything.
  case standard
  /// What the profile takes.
  case profile(Profile)
  case file(path: String, SourcePosition)
  /// A variable of the environment.
  case environment(name: String)
  /// An argument of the command: "--threads".
  case flag(name: String)

  public var description: String {
    switch self {
    case .standard: "default"
    case .profile(let profile): "profile \(profile.rawValue)"
    case .file(let path, let position): "\(path):\(position.line):\(position.column)"
    case .environment(let name), .flag(let name): name
    }
  }
}
