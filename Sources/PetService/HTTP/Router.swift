// SPDX-License-Identifier: Apache-2.0
import NIOHTTP1

/// Finds who answers a request.
package struct Router: Sendable {
  package typealias Handler = @Sendable (ServiceRequest, Parameters) async throws -> ServiceResponse

  /// What stood where a pattern has a name in braces.
  package struct Parameters: Sendable {
    fileprivate var values: [String: String] = [:]

    package subscript(name: String) -> String { values[name] ?? "" }
  }

  package struct Route: Sendable {
    let method: HTTPMethod
    /// As in "/pet/sessions/{id}": for logs and figures, which hold no names of people.
    package let pattern: String
    let parts: [Substring]
    /// Whether it is for clients without a token too.
    let isOpen: Bool
    let handler: Handler
  }

  package enum Finding: Sendable {
    case found(Route, Parameters)
    /// The path has other methods.
    case otherMethods([Route])
    case nothing
  }

  package private(set) var routes: [Route] = []

  package init() {}

  package mutating func on(_ method: HTTPMethod, _ pattern: String, isOpen: Bool = false, _ handler: @escaping Handler)
  {
    routes.append(
      Route(method: method, pattern: pattern, parts: pattern.split(separator: "/"), isOpen: isOpen, handler: handler))
  }

  /// - Complexity: O(routes).
  package func find(_ method: HTTPMethod, _ path: [String]) -> Finding {
    var others: [Route] = []
    for route in routes {
      guard let parameters = Self.match(route.parts, path) else { continue }
      // What can be had can be asked about.
      if route.method == method || (method == .HEAD && route.method == .GET) { return .found(route, parameters) }
      others.append(route)
    }
    return others.isEmpty ? .nothing : .otherMethods(others)
  }

  private static func match(_ parts: [Substring], _ path: [String]) -> Parameters? {
    guard parts.count == path.count else { return nil }
    var parameters = Parameters()
    for (part, name) in zip(parts, path) {
      if part.first == "{", part.last == "}" {
        parameters.values[String(part.dropFirst().dropLast())] = name
      } else if part != name {
        return nil
      }
    }
    return parameters
  }
}
