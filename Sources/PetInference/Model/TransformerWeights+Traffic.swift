extension TransformerWeights {
  /// Bytes of weights that computing one token reads: all but the embedding, of which it reads one row. Where the output
  /// matrix is the embedding, that is read whole.
  public var bytesReadPerToken: Int {
    guard let embedding = file.tensors["token_embd.weight"], file.tensors["output.weight"] != nil else {
      return byteCount
    }
    return byteCount - embedding.bytes.count + embedding.bytes.count / configuration.vocabularySize
  }
}
