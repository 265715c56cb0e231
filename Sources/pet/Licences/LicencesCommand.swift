// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import PetCommandLine

struct LicencesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "licences",
    abstract: "Print the licence of this program, and those of everything of others in it or behind it.",
    discussion: """
      Libraries, weights, corpora and test data: name, version, licence, where it is from, what it is for, and whether the program \
      contains it.

      EXAMPLES
        pet licences
        pet licences --json
      """)

  @Flag(help: "Print one object.")
  var json = false

  func run() throws {
    let notices = String(decoding: PackageResources.THIRD_PARTY_NOTICES, as: UTF8.self)
    let text = String(decoding: PackageResources.LICENSE, as: UTF8.self)
    if json {
      try JSONOutput.write(Report(text: text, works: ThirdPartyWork.read(notices), notices: notices))
    } else {
      Output.standard.write(notices + "\n" + text)
    }
  }

  private struct Report: Encodable {
    /// SPDX identifier of this program's licence.
    let licence = "Apache-2.0"
    let text: String
    let works: [ThirdPartyWork]
    let notices: String
  }
}
