// swift-tools-version: 6.1
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// Which commit this is built of. Not by Context.gitInformation: a manifest that did not change is not read again for a new commit.
let commit = Context.environment["PET_COMMIT"]?.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "+") } ?? ""

// Whoever imports PetEngine names these as well: a build after a change in one of them misses what only sees it through
// the umbrella's re-export, and links objects that disagree about layouts.
let engine: [Target.Dependency] = [
  "PetClassifiers", "PetCompanion", "PetConversation", "PetFiles", "PetGrammar", "PetInference", "PetJSON",
  "PetLanguage", "PetMemory", "PetRuntime", "PetTokenizer",
]

let package = Package(
  name: "Pet",
  platforms: [.macOS(.v15), .iOS(.v18), .watchOS(.v11)],
  products: [
    .library(name: "PetEngine", targets: ["PetEngine"]),
    // A language model and conversations with it alone: without XNNPACK, SQLite and PNG.
    .library(name: "PetLanguage", targets: ["PetLanguage"]),
    // For services: started, drained and stopped by swift-service-lifecycle.
    .library(name: "PetEngineLifecycle", targets: ["PetEngineLifecycle"]),
    // For tests of programs that import PetEngine: a model that says what a script says.
    .library(name: "PetEngineTesting", targets: ["PetEngineTesting"]),
    .executable(name: "pet", targets: ["pet"]),
    .executable(name: "petd", targets: ["petd"]),
    // What Benchmarks/micro measures; programs import PetEngine.
    .library(name: "PetInternals", targets: ["CPetKernels", "PetInference", "PetTokenizer", "PetLanguage"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ],
  targets: [
    // C: numeric kernels with one dispatch table, and thin doors to system libraries.
    .target(name: "CPetKernels"),
    .target(name: "CBuildInfo", cSettings: [.define("PET_COMMIT", to: "\"\(commit)\"")]),
    .target(
      name: "CSentencePiece",
      linkerSettings: [.linkedLibrary("sentencepiece")]),
    .target(name: "CPNG", linkerSettings: [.linkedLibrary("png")]),
    .target(name: "CJPEG", linkerSettings: [.linkedLibrary("jpeg")]),
    // What a process gives up: seccomp filters, Landlock.
    .target(name: "CSandbox"),
    .target(name: "CBuiltInModels", cSettings: [.headerSearchPath("../../Models")]),
    .target(name: "CBuiltInBank", cSettings: [.headerSearchPath("../../Models")]),
    .systemLibrary(name: "CLineEditor", providers: [.apt(["libedit-dev"])]),
    .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CXNNPACK", providers: [.apt(["libxnnpack-dev", "libpthreadpool-dev"])]),
    .systemLibrary(name: "CSampleRate", providers: [.apt(["libsamplerate0-dev"])]),

    // Words, sentences and spaces of a text, how it is quoted, texts that are built in. A leaf.
    .target(name: "PetText"),

    // A strict reader of JSON, its values and their places.
    .target(name: "PetJSON", dependencies: ["PetText"]),

    // Files that appear whole or not at all, locks, mapped files, erasure, one error.
    .target(name: "PetFiles", dependencies: ["CPetKernels", "PetText"]),

    // The transformer and the tokenizers know no pets and nothing of each other.
    .target(
      name: "PetInference",
      dependencies: [
        "CPetKernels", "PetFiles", "PetJSON", "PetText", .product(name: "Crypto", package: "swift-crypto"),
      ]),
    .target(name: "PetTokenizer", dependencies: ["CPetKernels", "CSentencePiece"]),

    // What a text must look like: grammars and JSON schemas as masks of tokens.
    .target(name: "PetGrammar", dependencies: ["PetJSON", "PetText"]),

    // Device, catalog, verification, monitors.
    .target(
      name: "PetRuntime",
      dependencies: [
        "CBuildInfo", "CBuiltInModels", "CPetKernels", "CSandbox", "PetFiles", "PetText",
        // Without Foundation, which the product Metrics of the same package brings.
        .product(name: "CoreMetrics", package: "swift-metrics"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "Histogram", package: "hdrhistogram-swift"),
      ],
      resources: [.embedInCode("catalog.json")]),

    // A model, its tokenizer and its chat template: something one can talk to.
    .target(
      name: "PetLanguage",
      dependencies: [
        "PetFiles", "PetGrammar", "PetInference", "PetJSON", "PetTokenizer",
        // Without Foundation, which the product Metrics of the same package brings.
        .product(name: "CoreMetrics", package: "swift-metrics"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Tracing", package: "swift-distributed-tracing"),
      ]),

    // What a pet is: how it is described to a model, how it lives, what it answers without one.
    .target(
      name: "PetCompanion",
      dependencies: [
        "CBuiltInBank", "CBuiltInModels", "PetFiles", "PetInference", "PetJSON", "PetRuntime", "PetText",
        .product(name: "Crypto", package: "swift-crypto"),
      ],
      resources: [
        "answers", "care", "comprehension", "danger", "dialogue_acts", "format", "frequent", "games", "honesty",
        "initiative", "intents",
        "knowledge", "life", "reflection", "regions", "reply_check", "safety", "sympathy", "told",
      ].map { .embedInCode("\($0).json") }
        + ["mochi", "bramble", "pixel", "juniper", "tofu", "zest"].map { .embedInCode("Persona/\($0).json") }),

    // What a pet remembers. The only part that needs SQLite.
    .target(
      name: "PetMemory",
      dependencies: [
        "CSQLite", "PetFiles", "PetText",
        .product(name: "Crypto", package: "swift-crypto"),
      ],
      resources: ["memory", "recall", "wishes"].map { .embedInCode("\($0).json") }),

    // What recent moods tell. Knows nothing of pets.
    .target(
      name: "PetClassifiers",
      dependencies: [
        "CJPEG", "CPNG", "CPetKernels", "CSampleRate", "CXNNPACK", "PetInference", "PetJSON", "PetRuntime", "PetText",
      ]),

    // A conversation with a pet: the pet that lives on, the model that speaks for it, and what is kept of both.
    .target(
      name: "PetConversation",
      dependencies: [
        "PetCompanion", "PetFiles", "PetGrammar", "PetInference", "PetLanguage", "PetMemory", "PetRuntime", "PetText",
        "PetTokenizer",
      ]),

    // What people import.
    .target(name: "PetEngine", dependencies: engine, resources: [.embedInCode("essay.txt")]),

    .target(
      name: "PetEngineLifecycle",
      dependencies: engine + [
        "PetEngine",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ]),
    .target(name: "PetEngineTesting", dependencies: engine + ["PetEngine"]),

    // What the programs have in common: settings as options, errors as exit codes.
    .target(
      name: "PetCommandLine",
      dependencies: engine + [
        "PetEngine", .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),

    // What petd is asked and answers, and a client that asks it. Links no server.
    .target(name: "PetAPI", dependencies: engine + ["PetEngine"]),

    // The engine behind HTTP.
    .target(
      name: "PetService",
      dependencies: engine + [
        "PetAPI", "PetEngine", "PetText",
        .product(name: "CoreMetrics", package: "swift-metrics"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ],
      resources: ["html", "css", "js"].map { .embedInCode("Dashboard/dashboard.\($0)") }
        + [.embedInCode("Operations/openapi.json")]),

    .executableTarget(
      name: "petd",
      dependencies: engine + [
        "PetAPI", "PetEngine", "PetCommandLine", "PetService",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "CoreMetrics", package: "swift-metrics"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
      ]),

    .executableTarget(
      name: "pet",
      dependencies: engine + [
        "PetAPI", "PetEngine", "PetCommandLine", "PetText", "CLineEditor",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      resources: ["Chat/faces.json", "Licences/LICENSE", "Licences/THIRD-PARTY-NOTICES"].map { .embedInCode($0) }),

    .executableTarget(
      name: "MonitorCosts", dependencies: engine + ["PetEngine", "PlantedSocket"],
      path: "Benchmarks/monitors/MonitorCosts"),
    .executableTarget(name: "AddModel", dependencies: ["PetEngine"], path: "Examples/AddModel"),

    .testTarget(name: "CPetKernelsTests", dependencies: ["CPetKernels"], resources: [.copy("Goldens")]),
    .target(name: "CInstrumentation", path: "Tests/CInstrumentation"),
    .target(name: "CEventCounter", path: "Tests/CEventCounter"),
    .target(
      name: "SamplePets", dependencies: ["PetCompanion", "PetConversation", "PetLanguage", "PetMemory", "PetRuntime"],
      path: "Tests/SamplePets"),
    .target(name: "SeededGenerator", path: "Tests/SeededGenerator"),
    .target(name: "PlantedSocket", path: "Tests/PlantedSocket"),
    .executableTarget(name: "OldKernel", path: "Tests/OldKernel"),
    .testTarget(name: "PetTextTests", dependencies: ["PetText"]),
    .testTarget(name: "PetFilesTests", dependencies: ["PetFiles"]),
    .testTarget(name: "PetJSONTests", dependencies: ["PetJSON", "SeededGenerator"]),
    .testTarget(
      name: "PetInferenceTests",
      dependencies: ["PetFiles", "PetInference", "PetJSON", "CPetKernels", "CEventCounter", "CInstrumentation"],
      exclude: ["Quantize/Goldens"]),
    .testTarget(
      name: "PetTokenizerTests",
      dependencies: ["PetTokenizer", "PetLanguage", "PetInference", "CEventCounter", "CInstrumentation"],
      exclude: ["Fixtures", "References"]),
    .testTarget(name: "PetGrammarTests", dependencies: ["PetGrammar", "PetJSON"], exclude: ["Goldens", "References"]),
    .testTarget(
      name: "PetRuntimeTests",
      dependencies: [
        "CInstrumentation", "CSandbox", "PetFiles", "PetRuntime", "PlantedSocket", "SeededGenerator",
        .product(name: "CoreMetrics", package: "swift-metrics"),
      ],
      exclude: ["Configuration/Goldens"]),
    .testTarget(
      name: "PetLanguageTests",
      dependencies: [
        "PetFiles", "PetLanguage",
        .product(name: "InMemoryLogging", package: "swift-log"),
        .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
        .product(name: "MetricsTestKit", package: "swift-metrics"),
      ]),
    .testTarget(
      name: "PetCompanionTests",
      dependencies: ["PetCompanion", "PetFiles", "PetGrammar", "PetJSON", "PetRuntime", "SeededGenerator"],
      exclude: ["Fixtures"]),
    .testTarget(
      name: "PetClassifiersTests",
      dependencies: ["PetClassifiers", "PetFiles", "PetInference", "PetRuntime", "SeededGenerator"],
      exclude: ["Goldens", "Stress/stress.json"]),
    .executableTarget(name: "MemoryWriter", dependencies: ["PetMemory"], path: "Tests/MemoryWriter"),
    .testTarget(
      name: "PetMemoryTests", dependencies: ["PetMemory", "MemoryWriter", "SeededGenerator"], exclude: ["Fixtures"]),
    .testTarget(
      name: "PetConversationTests",
      dependencies: engine + ["PetEngine", "SamplePets", "SeededGenerator", "WritingGate"]),
    .testTarget(name: "PetEngineTests", dependencies: engine + ["CInstrumentation", "PetEngine", "SamplePets"]),
    .testTarget(
      name: "PetEngineLifecycleTests",
      dependencies: engine + [
        "PetEngine", "PetEngineLifecycle", "PetEngineTesting",
        .product(name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle"),
      ]),
    .testTarget(name: "PetEngineTestingTests", dependencies: engine + ["PetEngine", "PetEngineTesting"]),
    .target(name: "RawClient", path: "Tests/RawClient"),
    .target(name: "WritingGate", dependencies: ["PetLanguage"], path: "Tests/WritingGate"),
    // Hostile bytes for every parser: Tests/Fuzz/README.md.
    .executableTarget(
      name: "Fuzz",
      dependencies: engine + [
        "CInstrumentation", "PetAPI", "PetEngine", "PetService", "SeededGenerator",
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOEmbedded", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
      ],
      path: "Tests/Fuzz", exclude: ["README.md", "Regressions", "Seeds", "make_seeds.py", "report.py"]),
    .testTarget(name: "PetAPITests", dependencies: engine + ["PetAPI", "PetEngine"]),
    .testTarget(
      name: "PetServiceTests",
      dependencies: engine + [
        "PetAPI", "PetEngine", "PetService", "RawClient", "WritingGate",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
      ]),
    .testTarget(
      name: "petTests",
      dependencies: engine + [
        "pet", "petd", "PetAPI", "PetCommandLine", "AddModel", "CInstrumentation", "Fuzz", "OldKernel",
        "PlantedSocket", "RawClient", "SeededGenerator",
      ],
      exclude: ["Goldens"]),
  ],
  swiftLanguageModes: [.v6],
  cLanguageStandard: .gnu11,
  cxxLanguageStandard: .gnucxx17
)
