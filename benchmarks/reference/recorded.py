"""Errors that the authors' code gave in an earlier run of the figure, to lay beside a new one.

Eight folds, best of nine cells by the clean error of the held-out rows, one draw; folds and draws
were others than ours, so that differences of a standard error or two mean nothing. IL is as coded
there: right for votes that are not negative.
"""

__all__ = ["recorded_error"]

_LEVELS = (0.0, 0.3, 0.5, 0.7, 0.8, 0.9)
_METHODS = ("df", "il_coded", "ac")
_ERRORS = {
    ("dna", "skewed_code"): {
        "df": (0.041, 0.043, 0.061, 0.061, 0.280, 0.409),
        "il_coded": (0.041, 0.074, 0.127, 0.205, 0.291, 0.365),
        "ac": (0.041, 0.082, 0.164, 0.262, 0.340, 0.408),
    },
    ("dna", "skewed_text"): {
        "df": (0.037, 0.043, 0.049, 0.118, 0.231, 0.330),
        "il_coded": (0.037, 0.051, 0.092, 0.181, 0.255, 0.323),
        "ac": (0.037, 0.051, 0.085, 0.156, 0.238, 0.305),
    },
    ("svmguide2", "skewed_code"): {
        "df": (0.166, 0.169, 0.179, 0.192, 0.425, 0.508),
        "il_coded": (0.166, 0.176, 0.197, 0.318, 0.400, 0.481),
        "ac": (0.166, 0.186, 0.244, 0.389, 0.445, 0.499),
    },
    ("svmguide2", "skewed_text"): {
        "df": (0.166, 0.181, 0.212, 0.281, 0.315, 0.336),
        "il_coded": (0.166, 0.194, 0.233, 0.290, 0.316, 0.331),
        "ac": (0.166, 0.190, 0.226, 0.277, 0.303, 0.323),
    },
}


def recorded_error(data: str, kind: str, level: float, method: str) -> float | None:
    """The error of that run, None where it has none (the exact IL, other levels)."""
    if method not in _METHODS or level not in _LEVELS:
        return None
    return _ERRORS[data, kind][method][_LEVELS.index(level)]
