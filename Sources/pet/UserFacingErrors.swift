// Which errors of this program may be shown, and how the process ends then.
import PetCommandLine

extension DoesNotFit: UserFacingError {
  package var exitStatus: ExitStatus { .outOfMemory }
}

extension LineEditorError: UserFacingError {}
extension FaceError: UserFacingError {}
