package enum PetVersion {
  package static let current = "0.1.0"
}
