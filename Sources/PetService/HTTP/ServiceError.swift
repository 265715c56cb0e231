// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import NIOCore
import NIOHTTP1
import PetAPI

/// Why a request is not answered, in the form of OpenAI's API:
/// https://platform.openai.com/docs/guides/error-codes
package struct ServiceError: Error, Sendable, Equatable {
  package var status: HTTPResponseStatus
  package var message: String
  /// The field that is wrong.
  package var parameter: String?
  package var code: String?
  /// Seconds after which it may be asked again.
  package var retryAfter: Int?
  /// The methods that the path has.
  package var allow: String?

  package init(
    _ status: HTTPResponseStatus, _ message: String, parameter: String? = nil, code: String? = nil,
    retryAfter: Int? = nil, allow: String? = nil
  ) {
    self.status = status
    self.message = message
    self.parameter = parameter
    self.code = code
    self.retryAfter = retryAfter
    self.allow = allow
  }

  static func invalid(_ parameter: String, _ message: String) -> ServiceError {
    ServiceError(.badRequest, message, parameter: parameter, code: "invalid_value")
  }

  private var type: String {
    switch status.code {
    case 401: "authentication_error"
    case 403: "permission_error"
    case 404: "not_found_error"
    case 429: "rate_limit_error"
    case 500...: "server_error"
    default: "invalid_request_error"
    }
  }

  /// As it stands in a response or in a stream.
  package var json: String {
    JSON.text(ErrorForm(.init(message: message, type: type, param: parameter, code: code)))
  }

  package var response: ServiceResponse {
    var response = ServiceResponse.text(json, status, type: "application/json")
    if let retryAfter { response.headers.replaceOrAdd(name: "retry-after", value: "\(retryAfter)") }
    if let allow { response.headers.replaceOrAdd(name: "allow", value: allow) }
    if status == .unauthorized { response.headers.replaceOrAdd(name: "www-authenticate", value: "Bearer") }
    return response
  }
}

extension ServiceResponse {
  static func refusal(_ status: HTTPResponseStatus, _ message: String) -> ServiceResponse {
    ServiceError(status, message).response
  }
}
