import PetEngine

/// What `GET /pet/privacy` answers.
struct PrivacyForm: Encodable {
  let state: String
  let badge: String
  let detail: String

  init(_ status: PrivacyStatus) {
    (state, badge, detail) = (status.state.rawValue, status.badge, status.detail)
  }
}
