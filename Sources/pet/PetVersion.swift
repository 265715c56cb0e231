enum PetVersion {
  static let current = "0.1.0"
}
