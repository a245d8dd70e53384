"""Missing cells of the inputs at fit: which completion is learned, and how it is chosen."""
