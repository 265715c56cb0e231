// SPDX-License-Identifier: Apache-2.0
import Glibc
import PetFiles
import PetRuntime

package enum LineEditorError: Error, Equatable, CustomStringConvertible {
  /// Two reads at once.
  case busy
  case lineTooLong(limit: Int)
  case read(Int32)
  case pipe(Int32)

  package var description: String {
    switch self {
    case .busy: "line editor: a line is being read already"
    case .lineTooLong(let limit): "standard input: a line is longer than \(limit) bytes; break it into several"
    case .read(let number): FileError(path: "standard input", operation: "read", code: number).description
    case .pipe(let number):
      "cannot make a pipe: \(String(cString: strerror(number))); \((SystemLimit(ofFile: number) ?? .openFiles).advice)"
    }
  }
}
