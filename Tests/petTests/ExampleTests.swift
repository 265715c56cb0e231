// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

/// The program of the guide "Adding a model".
@Suite("Examples") struct ExampleTests {
  private static let program = String(PetBinary.path.dropLast("pet".count)) + "AddModel"

  private func run(_ arguments: String...) throws -> String {
    try PetBinary.run(executable: Self.program, arguments, environment: ["PATH": "/usr/bin:/bin"]).output
  }

  /// nats per letter, per line
  private func surprises(_ output: String) -> [Double] {
    output.split(separator: "\n").compactMap { line in
      line.contains(" nats per letter: ") ? Double(line.prefix { $0 != " " }) : nil
    }
  }

  @Test("AddModel learns which letters follow each other, and says what it took")
  func addModel() throws {
    let found = surprises(try run(Fixtures.path("text/essay.txt"), "the weather is fine", "xqz jkw vbp"))
    try #require(found.count == 2)
    // Of 27 equally likely symbols each would cost log 27 = 3.3.
    #expect(found[0] < 2.7 && found[1] > 3.3, "\(found)")
    #expect(try run(Fixtures.path("text/essay.txt"), "hello").contains("letters, high: "))
  }

  @Test("AddModel refuses what it cannot do, and says why")
  func refusals() throws {
    #expect(try run("/no/such/file", "hello").contains("/no/such/file cannot be read"))
    #expect(try run(Fixtures.path("text/essay.txt"), "").contains("two letters"))
    #expect(try run().contains("usage"))
  }
}
