// What people import: the modules below under one name.
@_exported import PetInference
@_exported import PetLanguage
@_exported import PetRuntime
@_exported import PetTokenizer
