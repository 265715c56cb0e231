// SPDX-License-Identifier: Apache-2.0
import NIOHTTP1

/// `GET /openapi.json`: what can be asked, in the form of OpenAPI (https://spec.openapis.org/oas/v3.2.0). For everybody who can reach
/// it: it holds nothing of anybody's.
struct APIDescription: Sendable {
  func add(to router: inout Router) {
    router.on(.GET, "/openapi.json", isOpen: true) { _, _ in
      .text(Self.text, type: "application/json")
    }
  }

  static let text = String(decoding: PackageResources.openapi_json, as: UTF8.self)
}
