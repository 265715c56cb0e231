// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import FoundationEssentials
import Glibc
import PetAPI
import PetCommandLine
import PetEngine
import PetFiles
import PetRuntime

struct UninstallCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "uninstall",
    abstract: "Show what Pet keeps on this machine, and remove it.",
    discussion: """
      Nothing is removed before you say yes, or give --yes. What is listed goes, with all that is in it; other files in Pet's folder stay, and so \
      does the program itself, whose place is told. What has words of yours, and the keys, are overwritten first.

      EXAMPLES
        pet uninstall
        pet uninstall --keep-pets --yes
      """)

  @Flag(help: "Leave the pets, with all that they remember, and what Up brings back.")
  var keepPets = false

  @Flag(help: "Do not ask.")
  var yes = false

  func run() throws {
    let environment = ProcessEnvironment.current
    let folder = try PetFolders(environment: environment).data
    if let service = try? ServiceOptions.service(at: nil, environment), service.isListening {
      throw UninstallError.serviceRuns
    }
    let kept = try KeptFiles(in: folder)
    if let pet = kept.petInUse { throw UninstallError.petInUse(pet) }
    let wanted = kept.entries.filter { !(keepPets && $0.isOfPets) }
    let program =
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
    let last = "The program stays: \(program)"
    guard !wanted.isEmpty else {
      return Output.standard.tell("Nothing\(kept.entries.isEmpty ? "" : " else") is kept in \(folder). \(last)")
    }
    let total = wanted.reduce(0) { $0 + $1.bytes }
    Output.standard.tell("In \(folder), \(ByteCount.text(total)):")
    Output.standard.write(
      FactLines.text(
        wanted.map { entry in
          let size = kept.isLink(entry) ? "a link, whose target stays" : ByteCount.text(entry.bytes)
          return (entry.name, "\(size), \(entry.explanation)")
        }))
    if !kept.others.isEmpty {
      Output.standard.tell("Not from Pet, and left alone: \(kept.others.joined(separator: ", "))")
    }
    guard try yes || isCertain() else { return Output.standard.tell("Nothing was removed.") }
    try kept.check(wanted)
    for entry in wanted { try kept.remove(entry) }
    // A folder that others use, or that holds more, stays.
    rmdir(folder)
    Output.standard.tell("Removed. \(last)")
  }

  private func isCertain() throws -> Bool {
    guard isatty(STDIN_FILENO) == 1 else { throw UninstallError.nobodyToAsk }
    Output.standard.write("Remove all of this, for good (yes, no)? ")
    return ["y", "yes"].contains((readLine() ?? "").lowercased().filter { !$0.isWhitespace })
  }
}

enum UninstallError: UserFacingError {
  case serviceRuns
  case petInUse(String)
  case nobodyToAsk

  var description: String {
    switch self {
    case .serviceRuns:
      "petd runs, and would go on with what is removed; stop it first (systemctl --user disable --now petd.socket petd.service)"
    case .petInUse(let name): "\(name) is in another program, which would go on with what is removed; end that first"
    case .nobodyToAsk: "nothing was removed: there is no terminal to ask at; give --yes"
    }
  }
}
