// SPDX-License-Identifier: Apache-2.0
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The system calls whose names the types of this module have too.
enum SystemCalls {
  #if canImport(Glibc)
    static let read: @Sendable (Int32, UnsafeMutableRawPointer?, Int) -> Int = { Glibc.read($0, $1, $2) }
    static let write: @Sendable (Int32, UnsafeRawPointer?, Int) -> Int = { Glibc.write($0, $1, $2) }
    static let rename: @Sendable (String, String) -> Int32 = { Glibc.rename($0, $1) }
  #elseif canImport(Musl)
    static let read: @Sendable (Int32, UnsafeMutableRawPointer?, Int) -> Int = { Musl.read($0, $1, $2) }
    static let write: @Sendable (Int32, UnsafeRawPointer?, Int) -> Int = { Musl.write($0, $1, $2) }
    static let rename: @Sendable (String, String) -> Int32 = { Musl.rename($0, $1) }
  #else
    static let read: @Sendable (Int32, UnsafeMutableRawPointer?, Int) -> Int = { Darwin.read($0, $1, $2) }
    static let write: @Sendable (Int32, UnsafeRawPointer?, Int) -> Int = { Darwin.write($0, $1, $2) }
    static let rename: @Sendable (String, String) -> Int32 = { Darwin.rename($0, $1) }
  #endif
}

/// The system calls of a draft, so that tests can make the n-th one fail. Each returns a negative number and sets `errno`
/// on failure.
package struct FileSystemCalls: Sendable {
  package var write: @Sendable (Int32, UnsafeRawPointer?, Int) -> Int
  package var synchronize: @Sendable (Int32) -> Int32
  package var rename: @Sendable (String, String) -> Int32

  package static let system = FileSystemCalls(
    write: SystemCalls.write, synchronize: { fsync($0) }, rename: SystemCalls.rename)
}
