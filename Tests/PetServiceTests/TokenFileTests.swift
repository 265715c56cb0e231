// SPDX-License-Identifier: Apache-2.0
import Foundation
import PetService
import Testing

@Suite("The file of tokens")
struct TokenFileTests {
  private func temporary() -> String { "/tmp/pet-token-\(UInt64.random(in: 0 ... .max))" }

  @Test("daemons that start at once agree on one token")
  func together() async throws {
    let folder = temporary()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let tokens = try await withThrowingTaskGroup(of: [AccessToken].self) { group in
      for _ in 0..<16 { group.addTask { try TokenFile.tokens(at: folder + "/petd.token") } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(tokens.allSatisfy { $0 == tokens[0] } && tokens[0].count == 1 && tokens[0][0].secret.count == 64)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["petd.token"])
  }

  @Test(
    "what is no token, and what others may read, is refused",
    arguments: [
      ("", 0o600), ("short\n", 0o600), ("sixteen letters.\nwith space here!\n", 0o600), ("abcdefghijklmnop\n", 0o644),
    ])
  func refused(_ text: String, _ mode: Int) throws {
    let path = temporary()
    defer { try? FileManager.default.removeItem(atPath: path) }
    #expect(
      FileManager.default.createFile(atPath: path, contents: Data(text.utf8), attributes: [.posixPermissions: mode]))
    #expect(throws: TokenFile.Failure.self) { try TokenFile.tokens(at: path) }
  }

  @Test("one more token, for one pet or for all; those that are there stay")
  func adds() throws {
    let path = temporary()
    defer { try? FileManager.default.removeItem(atPath: path) }
    let first = try TokenFile.tokens(at: path)
    let bound = try TokenFile.add(to: path, pet: "mochi")
    let free = try TokenFile.add(to: path, pet: nil)
    #expect(bound.pet == "mochi" && free.pet == nil && bound.secret.count == 64)
    #expect(try TokenFile.tokens(at: path) == first + [bound, free])
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
  }

  @Test("several tokens, a line each")
  func several() throws {
    let path = temporary()
    defer { try? FileManager.default.removeItem(atPath: path) }
    let text = "abcdefghijklmnop\nqrstuvwxyzabcdef\n"
    #expect(
      FileManager.default.createFile(atPath: path, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600]))
    #expect(try TokenFile.tokens(at: path).count == 2)
  }
}
