// SPDX-License-Identifier: Apache-2.0
import PetCommandLine
import PetEngine
import Synchronization

/// A `pet models pull` of the default model beside a conversation, in a process of its own: this one is kept from the network. It hears
/// nothing of the conversation.
final class BackgroundPull: Sendable {
  /// What was started before this program was confined.
  private static let started = Mutex<BackgroundPull?>(nil)

  private let process: BesideProcess
  let model: String
  /// What comes; nil: nothing does.
  let download: Download?

  private init(_ process: BesideProcess, _ model: String, _ download: Download?) {
    (self.process, self.model, self.download) = (process, model, download)
  }

  /// For people, at the start.
  /// - Parameter standIn: who answers meanwhile.
  func beginning(_ standIn: String) -> String {
    let what = download.map { ": \(ByteCount.text($0.bytes)) from \($0.place)" } ?? ""
    return "(\(standIn) answers while \(model) is fetched\(what))"
  }

  /// Whether it goes on without this program.
  var isUnderWay: Bool { process.poll().status == nil }

  static var current: BackgroundPull? { started.withLock { $0 } }

  /// Starts it where the default model is meant, would fit, and is not here or damaged. Before the first thread.
  /// - Throws: what `resolve()` throws; `ModelStoreError`, `FetchError`.
  static func start(for options: ModelOptions, _ environment: [String: String]) throws {
    let configuration = try options.resolve()
    let store = try ModelStore.current()
    guard configuration.model.value == nil, let model = try store.select(configuration).standsIn?.mendedByPull,
      let known = store.catalog.model(named: model)
    else { return }
    if case .no(let reasons) = store.canRun(known, configuration) {
      let why = reasons.map(\.description).joined(separator: "; ")
      return Output.error.tell("(\(model) is not fetched: \(why))")
    }
    guard !store.isBeingChanged else {
      return Output.error.tell("(another pet is fetching: a later conversation will have \(model))")
    }
    let pull = ChildProcess(["/proc/self/exe", "models", "pull", model], environment: environment)
    let process = try pull.runBeside()
    started.withLock { $0 = BackgroundPull(process, model, Download(known, in: store.catalog)) }
  }

  /// Tells how it goes, now and then, and puts the model to use when it is here.
  /// - Parameters:
  ///   - renew: as `ModelOptions.Lazy.renew`.
  ///   - tell: shows a line as soon as it may be shown.
  func follow(renew: @Sendable () async throws -> String?, tell: @Sendable (String) async -> Void) async {
    var last = ""
    var told: (stage: Substring, at: ContinuousClock.Instant)?
    while !Task.isCancelled {
      let (lines, status) = process.poll()
      last = lines.last ?? last
      if let status {
        guard status == 0 else {
          let reason = last.hasPrefix("pet: ") ? String(last.dropFirst(5)) : last
          let why = status < 0 ? "the fetch was ended from outside (signal \(-status))" : TerminalText.line(reason)
          return await tell("\(model) was not fetched: \(why)")
        }
        do {
          let name = try await renew()
          await tell(
            name.map { "\($0) is here, and answers from now on" }
              ?? "\(model) is here; pet doctor says why it does not answer")
        } catch {
          await tell("\(model) is here, and cannot answer: \(error)")
        }
        return
      }
      if let line = lines.last, case let stage = line.prefix(while: { $0 != ":" }),
        told.map({ $0.stage != stage || $0.at.duration(to: .now) > .seconds(30) }) ?? true
      {
        told = (stage, .now)
        await tell(TerminalText.line(line))
      }
      try? await Task.sleep(for: .milliseconds(500))
    }
  }
}
