// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import NIOCore
import NIOHTTP1

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

  struct Form: Codable {
    struct Details: Codable {
      let message: String
      let type: String
      let param: String?
      let code: String?

      func encode(to encoder: any Encoder) throws {
        // Fields that are not known are null in this form, not missing.
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(message, forKey: .message)
        try values.encode(type, forKey: .type)
        try values.encode(param, forKey: .param)
        try values.encode(code, forKey: .code)
      }

      enum CodingKeys: CodingKey { case message, type, param, code }
    }

    let error: Details
  }

  /// As it stands in a response or in a stream.
  package var json: String {
    JSON.text(Form(error: .init(message: message, type: type, param: parameter, code: code)))
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
