// SPDX-License-Identifier: Apache-2.0
import PetRuntime

/// A work of others, as a block of THIRD-PARTY-NOTICES describes it.
struct ThirdPartyWork: Equatable, Encodable {
  let name: String
  let version: String
  /// An SPDX expression, or words where the work consists of several.
  let licence: String
  let from: String
  let purpose: String
  /// `linked`, `system`, `built in`, `separate`, `fetched`, `training` or `tests`: the head of the file says what each means.
  let use: String
  /// Files of `Models` that are this work.
  let files: [String]
  /// Copyright and changes, where the licence asks to name them.
  @OrNull var notice: String?

  private enum CodingKeys: String, CodingKey {
    case name, version, licence, from, purpose = "for", use, files, notice
  }

  /// The works of all blocks, in their order: blocks are separated by empty lines and begin with `Name:`; a line that begins with two
  /// spaces continues a field. Everything else is prose.
  static func read(_ notices: String) -> [ThirdPartyWork] {
    notices.split(separator: "\n\n").compactMap { block -> ThirdPartyWork? in
      var fields: [(label: Substring, value: String)] = []
      for line in block.split(separator: "\n") {
        if line.hasPrefix("  "), !fields.isEmpty {
          fields[fields.count - 1].value.append(contentsOf: line.dropFirst())
        } else if let colon = line.firstIndex(of: ":"), line[colon...].hasPrefix(": ") {
          fields.append((line[..<colon], String(line[colon...].dropFirst(2))))
        } else {
          return nil
        }
      }
      guard fields.first?.label == "Name" else { return nil }
      func value(_ label: String) -> String? { fields.first { $0.label == label }?.value }
      return ThirdPartyWork(
        name: value("Name") ?? "", version: value("Version") ?? "", licence: value("Licence") ?? "",
        from: value("From") ?? "", purpose: value("For") ?? "", use: value("Use") ?? "",
        files: value("Files")?.split(separator: ",").map { String($0.drop { $0 == " " }) } ?? [],
        notice: value("Notice"))
    }
  }
}
