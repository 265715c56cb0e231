// SPDX-License-Identifier: Apache-2.0
/// Why a request is not answered, in the form of OpenAI's API: a body of its own, or an event of a stream.
package struct ErrorForm: Codable, Sendable {
  package struct Details: Codable, Sendable {
    package let message: String
    package let type: String
    package let param: String?
    package let code: String?

    enum CodingKeys: CodingKey { case message, type, param, code }

    package init(message: String, type: String, param: String?, code: String?) {
      (self.message, self.type, self.param, self.code) = (message, type, param, code)
    }

    package func encode(to encoder: any Encoder) throws {
      // Fields that are not known are null in this form, not missing.
      var values = encoder.container(keyedBy: CodingKeys.self)
      try values.encode(message, forKey: .message)
      try values.encode(type, forKey: .type)
      try values.encode(param, forKey: .param)
      try values.encode(code, forKey: .code)
    }
  }

  /// The code of what is no fault of the machine, the request or a file.
  package static let fault = "internal_error"

  package let error: Details

  package init(_ error: Details) { self.error = error }
}
