"""New inputs: whether they are like those of training, and the votes that they get."""
