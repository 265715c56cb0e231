// SPDX-License-Identifier: Apache-2.0
import PetText

/// One value that somebody gave to a setting.
struct SettingLine {
  let key: SettingKey
  let input: SettingInput
  let origin: SettingOrigin
}

/// A value before it is known whether it suits its setting.
enum SettingInput: Equatable {
  /// From a file, where it has a type.
  case scalar(TOMLScalar)
  /// From the environment or an argument, where it is only text.
  case text(String)

  var string: String? {
    switch self {
    case .scalar(.string(let text)), .text(let text): text
    default: nil
    }
  }

  var integer: Int? {
    switch self {
    case .scalar(.integer(let value)): Int(exactly: value)
    case .text(let text): Int(text)
    default: nil
    }
  }

  var boolean: Bool? {
    switch self {
    case .scalar(.boolean(let value)): value
    case .text("true"): true
    case .text("false"): false
    default: nil
    }
  }

  /// As it was written, or nearly; cut where it is long.
  var shown: String {
    switch self {
    case .scalar(.string(let text)): "\"\(Self.short(text))\""
    case .scalar(.integer(let value)): "\(value)"
    case .scalar(.float(let value)): "\(value)"
    case .scalar(.boolean(let value)): "\(value)"
    case .text(""): "empty"
    case .text(let text): Self.short(text)
    }
  }

  static func short(_ text: String) -> String {
    text.unicodeScalars.count <= 60
      ? text.oneLine : String(String.UnicodeScalarView(text.unicodeScalars.prefix(60))).oneLine + "…"
  }
}
