"""The sections of a report: one function each, from the inputs to what is said."""
