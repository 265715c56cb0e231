// SPDX-License-Identifier: Apache-2.0
import CPetKernels

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A whole file mapped read-only and shared: pages are loaded on first touch and can be dropped by the kernel.
///
/// The mapping lives as long as the object. Replacing the file by rename is safe. What is written into it meanwhile is seen, and cannot
/// be told from what was there. Where it is cut short meanwhile, a read of what is gone ends the program (SIGBUS), unless
/// ``surviveLostPages()`` was called before: then it gives zeros, and `isLost` says so.
public final class MappedFile: @unchecked Sendable {  // immutable after init; the memory is read-only
  package let path: String
  package let bytes: UnsafeRawBufferPointer
  private let isOwned: Bool
  private let watch: Int32

  /// Maps the file at `path`. An empty file gives an empty buffer.
  /// - Throws: `FileError` where there is no regular file that may be read.
  package init(path: String) throws(FileError) {
    let file = try OpenFile.regular(path)
    self.path = path
    isOwned = true
    let count = Int(clamping: try file.size)
    guard count > 0 else {
      bytes = UnsafeRawBufferPointer(start: nil, count: 0)
      watch = -1
      return
    }
    guard let base = mmap(nil, count, PROT_READ, MAP_SHARED, file.descriptor, 0), base != MAP_FAILED else {
      throw FileError(path: path, operation: "map", code: errno)
    }
    bytes = UnsafeRawBufferPointer(start: base, count: count)
    watch = pk_watch_pages(base, count)
  }

  /// For programs: handles SIGBUS from now on, for pages of mapped files and for nothing else.
  public static func surviveLostPages() { _ = pk_survive_lost_pages() }

  /// Whether ``isLost`` is true of any file: where not, which is as good as always, none need be asked.
  package static var isAnyLost: Bool { pk_any_pages_lost() }

  /// Whether something was read that the file has no more. What was computed with it is wrong, and the file must be opened anew.
  package var isLost: Bool { pk_pages_lost(watch) }

  /// Bytes of a file that was mapped by others, read-only, and stays as long as the program runs, such as its own constants.
  package init(permanent bytes: UnsafeRawBufferPointer, named name: String) {
    path = name
    self.bytes = bytes
    isOwned = false
    watch = -1
  }

  /// Makes the pages around `bytes` of a mapping resident, and reads those that are not in memory, where the system can.
  package static func populate(_ bytes: UnsafeRawBufferPointer) {
    #if os(Linux)
      let page = Int(sysconf(Int32(_SC_PAGESIZE)))
      guard let base = bytes.baseAddress else { return }
      let start = Int(bitPattern: base) / page * page
      let end = Int(bitPattern: base) + bytes.count
      madvise(UnsafeMutableRawPointer(bitPattern: start), end - start, populateRead)  // before Linux 5.14: refused
    #endif
  }

  #if os(Linux)
    /// MADV_POPULATE_READ of madvise(2), which the headers of older systems lack.
    private static let populateRead: Int32 = 22
  #endif

  /// Lets go of the resident pages within `bytes` of a mapping. They come back from the file when they are touched.
  package static func release(_ bytes: UnsafeRawBufferPointer) {
    let page = Int(sysconf(Int32(_SC_PAGESIZE)))
    guard let base = bytes.baseAddress else { return }
    let start = (Int(bitPattern: base) + page - 1) / page * page
    let end = (Int(bitPattern: base) + bytes.count) / page * page
    if start < end { madvise(UnsafeMutableRawPointer(bitPattern: start), end - start, MADV_DONTNEED) }
  }

  deinit {
    // What others mapped stays mapped, but not resident for the sake of what nobody reads any more.
    guard isOwned else { return Self.release(bytes) }
    pk_unwatch_pages(watch)
    if let base = bytes.baseAddress { munmap(UnsafeMutableRawPointer(mutating: base), bytes.count) }
  }
}
