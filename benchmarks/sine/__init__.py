"""The paper's regression problem, a sine wave seen in intervals, in other ways than the paper's."""
