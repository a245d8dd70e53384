"""What `PartialMultilabelClassifier` consists of: models of tags, one-sided tags, decoding."""
