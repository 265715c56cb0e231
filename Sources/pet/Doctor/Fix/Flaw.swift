// SPDX-License-Identifier: Apache-2.0
import PetRuntime

/// Something in the person's folder that is not as it should be.
enum Flaw: Equatable {
  /// The model of the settings is not here, and could be fetched.
  case absentModel(name: String, bytes: UInt64)
  case damagedModel(name: String, problem: String)
  /// A model whose file comes with the source of this program alone.
  /// - Parameters:
  ///   - file: where it was found; nil: nowhere.
  ///   - command: installs it, within the source.
  case separateModel(name: String, file: String?, command: String)
  /// A socket that nobody listens at.
  case deadSocket(path: String)
  /// A file or folder that others may write, or where it is private may read, with all below it.
  case openModes(path: String, count: Int, isPrivate: Bool)
  /// What a program left that was ended while it wrote.
  case leftDraft(path: String)
  case leftStaging(path: String)
}

extension Flaw: CustomStringConvertible {
  /// What is wrong.
  var description: String {
    switch self {
    case .absentModel(let name, _): "model \(name), which the settings mean, is not here"
    case .damagedModel(let name, let problem): "model \(name) is damaged: \(problem)"
    case .separateModel(let name, _, _): "model \(name) is not here; the file is no part of this program"
    case .deadSocket(let path): "\(path): a socket at which no petd listens"
    case .openModes(let path, let count, let isPrivate):
      "\(path): others may \(isPrivate ? "read or write" : "write") \(count == 1 ? "it" : "\(count) files and folders of it")"
    case .leftDraft(let path): "\(path): left by a program that was ended while it wrote"
    case .leftStaging(let path): "\(path): left by a fetch that was ended"
    }
  }

  /// What would mend it, as an order.
  var remedy: String {
    switch self {
    case .absentModel(_, let bytes): "fetch it, \(ByteCount.text(bytes))"
    case .damagedModel: "fetch it anew"
    case .separateModel(_, let file?, _): "install \(file)"
    case .separateModel(_, nil, let command): "in the source of this program run: \(command)"
    case .deadSocket, .leftDraft, .leftStaging: "remove it"
    case .openModes(_, _, let isPrivate): isPrivate ? "keep it to its owner" : "let only its owner write it"
    }
  }

  /// Whether this program can try to mend it.
  var isMendable: Bool { if case .separateModel(_, nil, _) = self { false } else { true } }

  /// Whether mending it brings a file that is looked at, by a process that must be started before the first thread.
  var needsInspection: Bool {
    switch self {
    case .absentModel, .damagedModel, .separateModel: true
    case .deadSocket, .openModes, .leftDraft, .leftStaging: false
    }
  }
}
