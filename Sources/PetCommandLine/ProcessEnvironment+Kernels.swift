import ArgumentParser
import PetEngine

extension ProcessEnvironment {
  /// Refuses kernels in PET_KERNELS that are none, or not for this CPU. Those that are serve wherever a command names none.
  /// - Throws: `ValidationError`, `InferenceError.kernelsUnavailable`.
  package static func checkKernels(_ environment: [String: String] = current) throws {
    guard let name = environment["PET_KERNELS"], !name.isEmpty else { return }
    guard let variant = KernelVariant(rawValue: name) else {
      let names = KernelVariant.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("PET_KERNELS is \(name); give one of \(names)")
    }
    guard variant.isAvailable else { throw InferenceError.kernelsUnavailable(name) }
  }
}
