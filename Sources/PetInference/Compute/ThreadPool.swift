// SPDX-License-Identifier: Apache-2.0
import CPetKernels
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Threads that run the chunks of one parallel loop at a time.
///
/// Threads claim chunks one by one, so the join waits only for chunks in progress, never for a thread that is not scheduled:
/// beside a busy neighbour the other threads take over its share. One atomic word holds the state of a loop, so starting one
/// costs less than a microsecond. Between loops the threads spin briefly, then sleep.
///
/// `run` must be called from one thread at a time; the caller works too.
public final class ThreadPool: @unchecked Sendable {  // the state below is atomic, or fenced by it
  /// How many threads work on a loop, the caller included.
  package let threadCount: Int
  private let shared: Shared
  private var threads: [pthread_t] = []

  /// Starts `threadCount - 1` threads; at least one thread, the caller, always works.
  public init(threadCount: Int) {
    let wanted = max(1, min(threadCount, 256))
    shared = Shared()
    for index in 1..<wanted {
      let start = Unmanaged.passRetained(Start(shared: shared, worker: index))
      #if canImport(Darwin)
        var thread: pthread_t?
      #else
        var thread = pthread_t()
      #endif
      let failed = pthread_create(&thread, nil, { ThreadPool.enter($0) }, start.toOpaque())
      guard failed == 0 else {
        start.release()
        break
      }
      #if canImport(Darwin)
        if let thread { threads.append(thread) }
      #else
        threads.append(thread)
      #endif
    }
    self.threadCount = threads.count + 1
  }

  deinit {
    shared.stop()
    for thread in threads { pthread_join(thread, nil) }
  }

  /// The body of a loop: a C function without captures, so that starting a loop neither allocates nor counts references.
  package typealias ChunkFunction =
    @convention(c) (_ context: UnsafeMutableRawPointer, _ worker: Int, _ chunk: Int) -> Void

  /// Calls `function(context, worker, chunk)` for every chunk in 0..<chunks and returns when all are done. `worker` is below
  /// `threadCount` and never runs two chunks at once, so it can index scratch memory.
  package func run<Context>(chunks: Int, over context: inout Context, _ function: ChunkFunction) {
    withUnsafeMutablePointer(to: &context) { context in
      guard threadCount > 1, chunks > 1 else {
        for chunk in 0..<chunks { function(context, 0, chunk) }
        return
      }
      for first in stride(from: 0, to: chunks, by: Shared.maximumChunks) {  // the state word counts to 65535
        shared.run(min(chunks - first, Shared.maximumChunks), from: first, Loop(context: context, function: function))
      }
    }
  }

  /// The same with a closure, which costs an allocation.
  public func run(chunks: Int, _ body: (_ worker: Int, _ chunk: Int) -> Void) {
    withoutActuallyEscaping(body) { body in
      var body = body
      run(chunks: chunks, over: &body) { context, worker, chunk in
        context.assumingMemoryBound(to: ((Int, Int) -> Void).self).pointee(worker, chunk)
      }
    }
  }

  fileprivate struct Loop {
    let context: UnsafeMutableRawPointer
    let function: ChunkFunction
  }

  /// The entry point of a thread. The pointer is optional in some C libraries and not in others.
  private static func enter(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    let start = Unmanaged<Start>.fromOpaque(context).takeRetainedValue()
    start.shared.work(as: start.worker)
    return nil
  }

  private final class Start {
    let shared: Shared
    let worker: Int
    init(shared: Shared, worker: Int) {
      self.shared = shared
      self.worker = worker
    }
  }

  private final class Shared: @unchecked Sendable {
    static let maximumChunks = 0xffff
    private static let spins = 4000

    /// loop number: 32 | chunks: 16 | next chunk: 16
    private let state = Atomic<UInt64>(0)
    private let finished = Atomic<Int>(0)
    private let sleepers = Atomic<Int>(0)
    private let stopping = Atomic<Bool>(false)
    private var loop: Loop?
    private var first = 0
    private let wakeups = UnsafeMutablePointer<UInt32>.allocate(capacity: 1)

    init() { wakeups.initialize(to: 0) }
    deinit { wakeups.deallocate() }

    func run(_ chunks: Int, from first: Int, _ loop: Loop) {
      self.loop = loop
      self.first = first
      finished.store(0, ordering: .relaxed)
      let number = (state.load(ordering: .relaxed) >> 32) &+ 1
      state.store(number << 32 | UInt64(chunks) << 16, ordering: .sequentiallyConsistent)
      if sleepers.load(ordering: .sequentiallyConsistent) > 0 { wake() }
      drain(as: 0)
      var spins = 0
      while finished.load(ordering: .acquiring) != chunks {
        spins &+= 1
        if spins > Self.spins { sched_yield() } else { pk_pause() }
      }
    }

    func work(as worker: Int) {
      while !stopping.load(ordering: .acquiring) {
        waitForChunks()
        drain(as: worker)
      }
    }

    func stop() {
      stopping.store(true, ordering: .sequentiallyConsistent)
      wake()
    }

    private func drain(as worker: Int) {
      var seen = state.load(ordering: .acquiring)
      while Self.hasChunks(seen) {
        let (claimed, current) = state.compareExchange(
          expected: seen, desired: seen &+ 1, ordering: .acquiringAndReleasing)
        guard claimed else {
          seen = current
          continue
        }
        if let loop { loop.function(loop.context, worker, first + Int(seen & 0xffff)) }
        finished.add(1, ordering: .releasing)
        seen = state.load(ordering: .acquiring)
      }
    }

    private func waitForChunks() {
      var spins = 0
      while !Self.hasChunks(state.load(ordering: .acquiring)), !stopping.load(ordering: .relaxed) {
        spins &+= 1
        guard spins > Self.spins else {
          pk_pause()
          continue
        }
        // The order matters: read the word, announce the sleeper, read again, sleep only if nothing has changed.
        let seen = wakeupCount()
        sleepers.add(1, ordering: .sequentiallyConsistent)
        let idle = !Self.hasChunks(state.load(ordering: .sequentiallyConsistent))
        if idle, !stopping.load(ordering: .sequentiallyConsistent) { pk_futex_wait(wakeups, seen) }
        sleepers.subtract(1, ordering: .sequentiallyConsistent)
        spins = 0
      }
    }

    private static func hasChunks(_ state: UInt64) -> Bool { state & 0xffff < state >> 16 & 0xffff }

    private func wakeupCount() -> UInt32 { pk_load(wakeups) }

    private func wake() {
      pk_increment(wakeups)
      pk_futex_wake(wakeups, .max)
    }
  }
}
