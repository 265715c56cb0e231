// SPDX-License-Identifier: Apache-2.0
import Foundation
import PetAPI
import PetEngine
import PetService
import Testing

@Suite("Texts continued over HTTP")
struct TextRoutesTests {
  @Test("the same words with the same seed, whole or in pieces, held to a grammar or a schema")
  func forms() async throws {
    let service = try await TestService()
    defer { service.remove() }
    let body = #"{"prompt": "Once upon a time", "max_tokens": 12, "seed": 7, "temperature": 0.8}"#
    let whole = try await service.ask(.POST, "/pet/completions", body)
    let report = try JSONDecoder().decode(CompletionReport.self, from: Data(whole.text.utf8))
    #expect(whole.status == 200 && !report.text.isEmpty && report.ids.count == report.usage.completionTokens)
    let stream = try await service.ask(.POST, "/pet/completions", body, headers: ["accept": "text/event-stream"])
    var reader = EventReader()
    let events = reader.append(stream.text.utf8)
    let pieces = events.filter { $0.name == "token" }.compactMap { $0.value([String: String].self)?["text"] }
    #expect(pieces.joined() == report.text)
    #expect(events.last?.value(CompletionReport.self)?.ids == report.ids)
    let held = try await service.ask(
      .POST, "/pet/completions", #"{"prompt": "A number:", "schema": "{\"enum\": [42]}", "max_tokens": 8}"#)
    #expect(try JSONDecoder().decode(CompletionReport.self, from: Data(held.text.utf8)).text == "42")
  }

  @Test(
    "what makes no sense is refused",
    arguments: [
      #"{"prompt": "x", "max_tokens": 0}"#, #"{"prompt": "x", "temperature": -1}"#, #"{"prompt": ""}"#, "{}",
      #"{"prompt": "x", "schema": "{}", "grammar": "root ::= \"x\""}"#, #"{"prompt": "x", "schema": "nonsense"}"#,
      #"{"prompt": "x", "stop": [""]}"#, #"{"prompt": "x", "top_p": 2}"#,
    ])
  func refused(_ body: String) async throws {
    let service = try await TestService()
    defer { service.remove() }
    for accept in ["application/json", "text/event-stream"] {
      let answer = try await service.ask(.POST, "/pet/completions", body, headers: ["accept": accept])
      #expect(answer.status == 400 && answer.text.contains(#""error":"#), "\(answer.text)")
    }
  }
}
