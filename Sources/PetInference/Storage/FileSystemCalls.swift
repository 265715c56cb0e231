#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The system calls of a writer, so that tests can make the n-th one fail. Each returns a negative number and sets
/// `errno` on failure.
package struct FileSystemCalls: Sendable {
  package var write: @Sendable (Int32, UnsafeRawPointer, Int) -> Int
  package var synchronize: @Sendable (Int32) -> Int32
  package var rename: @Sendable (String, String) -> Int32

  package init(
    write: @escaping @Sendable (Int32, UnsafeRawPointer, Int) -> Int,
    synchronize: @escaping @Sendable (Int32) -> Int32,
    rename: @escaping @Sendable (String, String) -> Int32
  ) {
    self.write = write
    self.synchronize = synchronize
    self.rename = rename
  }

  #if canImport(Glibc)
    package static let system = FileSystemCalls(
      write: { Glibc.write($0, $1, $2) }, synchronize: { Glibc.fsync($0) }, rename: { Glibc.rename($0, $1) })
  #elseif canImport(Musl)
    package static let system = FileSystemCalls(
      write: { Musl.write($0, $1, $2) }, synchronize: { Musl.fsync($0) }, rename: { Musl.rename($0, $1) })
  #else
    package static let system = FileSystemCalls(
      write: { Darwin.write($0, $1, $2) }, synchronize: { Darwin.fsync($0) }, rename: { Darwin.rename($0, $1) })
  #endif
}
