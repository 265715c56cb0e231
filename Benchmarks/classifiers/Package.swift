// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "PetClassifierBenchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "Pet", path: "../..")],
  targets: [
    .executableTarget(name: "Pictures", dependencies: [.product(name: "PetInternals", package: "Pet")])
  ],
  swiftLanguageModes: [.v6]
)
