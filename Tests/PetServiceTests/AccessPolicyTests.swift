// SPDX-License-Identifier: Apache-2.0
import PetService
import Testing

@Suite("Who may ask")
struct AccessPolicyTests {
  private let policy = AccessPolicy(
    user: 1000, tokens: ["fedcba9876543210", "0123456789abcdef"].map { AccessToken(Array($0.utf8)) })

  private func decide(
    host: String? = "127.0.0.1:8080", origin: String? = nil, authorization: String? = "Bearer 0123456789abcdef"
  ) -> AccessPolicy.Decision {
    policy.decide(
      .init(transport: .loopback(port: 8080), host: host, origin: origin, authorization: authorization))
  }

  @Test("over the Unix socket: the owner and root, whatever they say of themselves")
  func unix() {
    #expect(policy.decide(.init(transport: .unix(user: 1000), host: "evil.example")) == .allowed(.user(1000)))
    #expect(policy.decide(.init(transport: .unix(user: 0))) == .allowed(.user(0)))
    #expect(policy.decide(.init(transport: .unix(user: 1001))) == .anotherUser)
    #expect(policy.decide(.init(transport: .unix(user: nil))) == .anotherUser)
  }

  @Test(
    "over TCP: names of this machine only",
    arguments: [
      ("127.0.0.1:8080", true), ("LOCALHOST:8080", true), ("[::1]:8080", true), ("127.0.0.1", true),
      ("[::1]", true), ("127.0.0.1:80", true), ("127.0.0.1:", false), ("localhost:x", false),
      ("evil.example:8080", false), ("127.0.0.1:8080.evil.example", false), ("", false),
    ])
  func hosts(_ host: String, _ isAllowed: Bool) {
    #expect(decide(host: host) == (isAllowed ? .allowed(.token(1)) : .foreignHost))
    #expect(decide(host: nil) == .foreignHost)
  }

  @Test("pages of other sites may not ask, whatever they bring")
  func origins() {
    #expect(decide(origin: "http://localhost:8080") == .allowed(.token(1)))
    for origin in ["http://evil.example", "https://localhost:8080", "http://localhost:8081", "null", ""] {
      #expect(decide(origin: origin) == .foreignOrigin, "\(origin)")
    }
  }

  @Test("the token, whole and right")
  func tokens() {
    #expect(decide(authorization: "bearer 0123456789abcdef") == .allowed(.token(1)))
    #expect(decide(authorization: "Bearer fedcba9876543210") == .allowed(.token(0)))
    for wrong in ["Bearer 0123456789abcdeF", "Bearer 0123456789abcde", "Bearer 0123456789abcdef0"] {
      #expect(decide(authorization: wrong) == .wrongToken, "\(wrong)")
    }
    for none in [nil, "", "Bearer", "Bearer ", "0123456789abcdef", "Basic 0123456789abcdef"] as [String?] {
      #expect(decide(authorization: none) == .noToken, "\(none ?? "-")")
    }
    let closed = AccessPolicy(user: 1, tokens: [])
    #expect(
      closed.decide(.init(transport: .loopback(port: 1), host: "localhost:1", authorization: "Bearer x")) == .wrongToken
    )
  }
}
