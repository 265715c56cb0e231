// SPDX-License-Identifier: Apache-2.0
/// What of this program's environment the programs that fetch get: what leads them through the network, and no more. Pure.
enum FetchEnvironment {
  /// Where programs and the settings of pip lie, the language of messages, proxies (curl(1)) and certificates.
  private static let names: Set<String> = [
    "PATH", "HOME", "LANG", "LC_ALL", "LC_MESSAGES", "TMPDIR", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS",
    "http_proxy", "https_proxy", "all_proxy", "no_proxy", "HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "NO_PROXY",
    "SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE",
    // pip's options as variables: which index, and the way to it; none that says where files go or what is run.
    "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_NO_INDEX", "PIP_TRUSTED_HOST", "PIP_PROXY",
    "PIP_CERT", "PIP_CLIENT_CERT", "PIP_TIMEOUT", "PIP_DEFAULT_TIMEOUT", "PIP_RETRIES", "PIP_CONFIG_FILE",
  ]

  /// A search path without the folder in which the program was started, or any other that is no absolute path.
  static func minimal(_ environment: [String: String]) -> [String: String] {
    var kept = environment.filter { names.contains($0.key) }
    if let path = kept["PATH"] {
      kept["PATH"] = path.split(separator: ":").filter { $0.hasPrefix("/") }.joined(separator: ":")
    }
    return kept
  }
}
