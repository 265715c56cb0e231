// SPDX-License-Identifier: Apache-2.0
import NIOCore
import NIOHTTP1
import PetAPI
import PetEngine

/// `/dashboard`: a page that shows the pet and how the daemon fares. The page itself holds nothing of anybody's and is for whoever
/// can reach it; what it shows it asks for as every client does.
struct DashboardRoutes: Sendable {
  let figures: FiguresSource

  /// Nothing from elsewhere, nothing inline, in nobody's frame: https://www.w3.org/TR/CSP3/
  private static let policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
    + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

  func add(to router: inout Router) {
    func page(_ path: String, _ type: String, _ bytes: [UInt8]) {
      router.on(.GET, path, isOpen: true) { _, _ in
        let headers: HTTPHeaders = [
          "content-type": "\(type); charset=utf-8", "content-security-policy": Self.policy, "cache-control": "no-cache",
          "referrer-policy": "no-referrer",
        ]
        return ServiceResponse(.ok, headers: headers, .bytes(ByteBuffer(bytes: bytes)))
      }
    }
    page("/dashboard", "text/html", PackageResources.dashboard_html)
    page("/dashboard.css", "text/css", PackageResources.dashboard_css)
    page("/dashboard.js", "text/javascript", PackageResources.dashboard_js)
    router.on(.GET, "/favicon.ico", isOpen: true) { _, _ in ServiceResponse(.noContent) }
    router.on(.GET, "/pet/figures") { _, _ in JSON.response(await figures.read()) }
    router.on(.GET, "/dashboard/events") { [figures] _, _ in
      .endlessEvents { writer in
        while true {
          try await writer.write("event: figures\ndata: \(JSON.text(await figures.read()))\n\n")
          try await Task.sleep(for: .seconds(1))
        }
      }
    }
  }
}
