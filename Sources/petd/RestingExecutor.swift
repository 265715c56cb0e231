// SPDX-License-Identifier: Apache-2.0
import NIOCore
import NIOPosix

#if compiler(>=6.3) && compiler(<6.4)
  @_spi(ExperimentalCustomExecutors) @_spi(ExperimentalScheduling) import _Concurrency

  /// Runs tasks on threads that sleep for as long as there is nothing to do.
  ///
  /// The threads that Swift takes for them otherwise are those of libdispatch, which looks at its pools once a second from their first job on
  /// (`_dispatch_workq_monitor_pools`): a daemon that rests would wake a small device 86,400 times a day.
  final class RestingExecutor: TaskExecutor, SchedulingExecutor {
    private let pool: NIOThreadPool
    private let timers: any EventLoop

    /// - Parameter threads: as many as processors, like Swift's own.
    init(threads: Int) {
      pool = NIOThreadPool(numberOfThreads: max(2, threads))
      pool.start()
      timers = MultiThreadedEventLoopGroup(numberOfThreads: 1).next()
    }

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      pool.submit { _ in job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    func enqueue<Timekeeper: Clock>(
      _ job: consuming ExecutorJob, after delay: Timekeeper.Duration, tolerance: Timekeeper.Duration?, clock: Timekeeper
    ) {
      let job = UnownedJob(job)
      let delay = delay as? Duration ?? .zero
      timers.scheduleTask(in: .nanoseconds(Int64(max(0, min(delay / .nanoseconds(1), 9e18))))) {
        self.pool.submit { _ in job.runSynchronously(on: self.asUnownedTaskExecutor()) }
      }
    }

    func enqueue<Timekeeper: Clock>(
      _ job: consuming ExecutorJob, at instant: Timekeeper.Instant, tolerance: Timekeeper.Duration?, clock: Timekeeper
    ) {
      enqueue(job, after: clock.now.duration(to: instant), tolerance: tolerance, clock: clock)
    }

    private struct Factory: ExecutorFactory {
      static var mainExecutor: any MainExecutor { PlatformExecutorFactory.mainExecutor }
      static let defaultExecutor: any TaskExecutor = RestingExecutor(threads: System.coreCount)
    }

    /// Before the first task of the program.
    static func install() { _createExecutors(factory: Factory.self) }
  }
#else
  /// Where the way to install one is not known, Swift's own runs.
  enum RestingExecutor {
    static func install() {}
  }
#endif
