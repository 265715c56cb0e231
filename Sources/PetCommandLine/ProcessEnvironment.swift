import FoundationEssentials

/// The environment of this process: read here and handed down, so that everything below can be given another.
package enum ProcessEnvironment {
  package static var current: [String: String] { ProcessInfo.processInfo.environment }
}
