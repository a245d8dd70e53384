"""Tables of results for users, as pandas DataFrames; pandas is imported when one is made."""

from typing import Any


def data_frame(columns: dict[str, Any]) -> Any:
    """A DataFrame of these columns.

    Examples
    --------
    >>> data_frame({"row": [3, 5], "score": [0.9, 0.8]}).shape
    (2, 2)
    """
    try:
        import pandas as pd
    except ImportError as error:
        raise ImportError(
            "frame() needs pandas: pip install pandas. All columns are attributes, too."
        ) from error
    try:
        return pd.DataFrame(columns)
    except UnicodeEncodeError:
        # Texts that are no Unicode, such as halves of a character, stay Python objects.
        return pd.DataFrame({name: pd.Series(list(v), dtype=object) for name, v in columns.items()})
