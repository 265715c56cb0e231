// SPDX-License-Identifier: Apache-2.0
// Which errors of this program may be shown, and how the process ends then.
import PetCommandLine

extension DoesNotFit: UserFacingError {
  package var exitStatus: ExitStatus { .outOfMemory }
}

extension LineEditorError: UserFacingError {
  package var exitStatus: ExitStatus {
    switch self {
    case .read(let code), .pipe(let code): .ofFile(code)
    case .busy, .lineTooLong: .refused
    }
  }
}

extension FaceError: UserFacingError {}
