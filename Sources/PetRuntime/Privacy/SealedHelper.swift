// SPDX-License-Identifier: Apache-2.0
import CSandbox
import Glibc
import PetFiles
import Synchronization

/// Has bytes of others looked at by processes that have nothing else: for each request one of its own, which is sealed, has no file but
/// those that were given, and ends with its answer. One that crashes gives none.
///
/// They are forked from a process that is forked when this is made, before the first thread, that never looks at those bytes, and that ends
/// with this one.
package final class SealedHelper: Sendable {
  /// Makes an answer of a request; nil: there is none.
  package typealias Work = @Sendable (_ request: [UInt8]) -> [UInt8]?

  package enum Failure: Error, Equatable, CustomStringConvertible {
    /// With the number of the error.
    case notStarted(Int32)
    /// The process that worked on this request ended without an answer.
    case noAnswer
    /// Nobody is there any more to start others.
    case gone

    package var description: String {
      switch self {
      case .notStarted(let code):
        "cannot start a process: \(Sandbox.reason(code)); \((SystemLimit(ofStart: code) ?? .threads).advice)"
      case .noAnswer: "the process that was to read it ended before its end"
      case .gone: "the process that reads what comes from others has ended; start this program anew"
      }
    }
  }

  private let helper: Mutex<ps_helper>
  /// The number of the error that kept it from being started; 0: none.
  private let failure: Int32

  /// - Parameters:
  ///   - mostAsked: bytes of the longest request.
  ///   - mostAnswered: bytes of the longest answer.
  ///   - files: what the work may touch, on kernels with Landlock.
  ///   - work: what is done, in a process of its own for each request.
  package init(mostAsked: Int, mostAnswered: Int, files: [FileAccess] = [], work: @escaping Work) {
    let rules = ps_rules_create()
    defer { if rules >= 0 { close(rules) } }
    for file in files where rules >= 0 { _ = ps_rules_allow(rules, file.path, file.flags) }
    var helper = ps_helper()
    helper.work = { workAlone($0, $1, $2, $3, $4) }
    // For as long as there are processes that do it.
    helper.context = Unmanaged.passRetained(HelperWork(work)).toOpaque()
    (helper.most_asked, helper.most_answered) = (mostAsked, mostAnswered)
    failure = ps_helper_start(&helper, max(-1, rules))
    self.helper = Mutex(helper)
  }

  /// Waits for the answer, and for those that were asked for before.
  package func answer(_ request: [UInt8]) throws(Failure) -> [UInt8] {
    guard failure == 0 else { throw .notStarted(failure) }
    return try helper.withLock { (helper) throws(Failure) -> [UInt8] in
      let count = request.withUnsafeBufferPointer { ps_helper_ask(&helper, $0.baseAddress, $0.count) }
      guard count >= 0 else { throw count == Int64(PS_HELPER_FAILED) ? .noAnswer : .gone }
      var answer = [UInt8](repeating: 0, count: Int(count))
      let isWhole = answer.withUnsafeMutableBufferPointer { ps_helper_receive(&helper, $0.baseAddress, $0.count) }
      guard isWhole else { throw .gone }
      return answer
    }
  }
}

private final class HelperWork: Sendable {
  let run: SealedHelper.Work

  init(_ run: @escaping SealedHelper.Work) { self.run = run }
}

private func workAlone(
  _ context: UnsafeMutableRawPointer?, _ request: UnsafePointer<UInt8>?, _ length: Int,
  _ place: UnsafeMutablePointer<UInt8>?, _ room: Int
) -> Int64 {
  guard let context, let place else { return -1 }
  let work = Unmanaged<HelperWork>.fromOpaque(context).takeUnretainedValue()
  let request = [UInt8](UnsafeBufferPointer(start: request, count: length))
  guard let answer = work.run(request), answer.count <= room else { return -1 }
  answer.withUnsafeBufferPointer { bytes in
    if let base = bytes.baseAddress { place.update(from: base, count: bytes.count) }
  }
  return Int64(answer.count)
}
