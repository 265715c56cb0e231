// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

/// The page on architecture names types and files that are there.
@Suite("Architecture.md")
struct ArchitectureTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// A row "| `Type.member` | `Sources/file` | ... |".
  struct Step: Sendable, CustomTestStringConvertible {
    let type: String
    let member: String?
    let file: String
    var testDescription: String { "\(type)\(member.map { ".\($0)" } ?? "") in \(file)" }
  }

  private static let page = try? String(
    contentsOf: root.appending(path: "Sources/PetEngine/PetEngine.docc/Architecture.md"), encoding: .utf8)

  static let steps: [Step] = (page ?? "").matches(of: /\n\| `(\w+)(?:\.(\w+))?` \| `([^`]+)` \|/).map {
    Step(type: String($0.1), member: $0.2.map(String.init), file: String($0.3))
  }

  @Test("it has the ways of a message, a weight and a request")
  func some() { #expect(Self.steps.count > 35) }

  @Test("each type is declared in its file, and has the member", arguments: steps)
  func declared(_ step: Step) throws {
    let source = try String(contentsOf: Self.root.appending(path: step.file), encoding: .utf8)
    let declaration = try Regex("\\b(actor|class|struct|enum|protocol|extension) \(step.type)\\b")
    #expect(source.contains(declaration), "no \(step.type) in \(step.file)")
    guard let member = step.member else { return }
    #expect(source.contains(try Regex("\\b(func|struct|var|let|case) \(member)\\b")), "no \(member) in \(step.file)")
  }

  @Test("the layers are those of Tests/Checks/modules.toml")
  func layers() throws {
    let order = try String(contentsOf: Self.root.appending(path: "Tests/Checks/modules.toml"), encoding: .utf8)
    let kept = order.components(separatedBy: "[[layers]]").dropFirst(2).map { layer in
      Set(layer.components(separatedBy: "[doors]")[0].matches(of: /"(\w+)"/).map { String($0.1) })
    }
    let shown = (Self.page ?? "").matches(of: /\n\| \d+ \| ([^|]+) \|/).map { row in
      Set(String(row.1).matches(of: /`(\w+)`/).map { String($0.1) })
    }
    #expect(kept == shown && shown.count == 10, "\(kept) \(shown)")
  }
}
