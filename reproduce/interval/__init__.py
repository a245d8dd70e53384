"""The paper's regression problem, a sine wave seen in intervals: data, methods, errors."""
