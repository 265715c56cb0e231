import FoundationEssentials

/// The environment of this process: read here and handed down, so that everything below can be given another.
enum ProcessEnvironment {
  static var current: [String: String] { ProcessInfo.processInfo.environment }
}
