// SPDX-License-Identifier: Apache-2.0
import Foundation
import PetEngine
import PetService
import Testing

@Suite("The description of the API")
struct APIDescriptionTests {
  @Test("has every route, and nothing else")
  func routes() async throws {
    let service = try await TestService()
    defer { service.remove() }
    let answer = try await service.ask(.GET, "/openapi.json")
    let description = try #require(try JSONSerialization.jsonObject(with: Data(answer.text.utf8)) as? [String: Any])
    let paths = try #require(description["paths"] as? [String: [String: Any]])
    let methods = ["get", "put", "post", "patch", "delete"]
    let described = Set(
      paths.flatMap { path, item in item.keys.filter(methods.contains).map { "\($0.uppercased()) \(path)" } })
    let served = Set(service.routes)
    #expect(described == served, "\(described.symmetricDifference(served))")
    #expect(served.count > 25)
  }

  @Test("other methods are told which there are")
  func methods() async throws {
    let service = try await TestService()
    defer { service.remove() }
    let response = try await service.respond(.PATCH, "/v1/models")
    #expect(response.status.code == 405 && response.headers.first(name: "allow") == "GET, HEAD")
    let other = try await service.respond(.GET, "/pet/models/unload")
    #expect(other.status.code == 405 && other.headers.first(name: "allow") == "POST")
  }
}
