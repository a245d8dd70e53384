"""The paper's regression problem, a sine wave known up to intervals: data, methods, errors."""
