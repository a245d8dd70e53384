"""Public data sets with censored targets: Tobit, interval-censored and one-sided.

Files are in the folder ``interval`` of the data sets. Those in R's format are read by `pyreadr`
(``pip install disambig[bench]``).
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from disambig.candidates import Intervals
from disambig.datasets import CensoringCorruption
from disambig.exceptions import DatasetError
from disambig.notation import FloatArray, IntArray

__all__ = ["DATA", "CensoredData", "load"]


class CensoredData(NamedTuple):
    """Inputs and intervals of a public data set.

    Attributes
    ----------
    X : float array (n, d)
    intervals : Intervals
    target : str
        What the censored number means.
    folds : int array (n,), or None
        The split of the data set, if it has one.
    """

    X: FloatArray
    intervals: Intervals
    target: str
    folds: IntArray | None = None


def load(name: str, folder: Path) -> CensoredData:
    """A data set of `DATA`; raises `DatasetError` if its file is missing."""
    file, read = DATA[name]
    path = folder / "interval" / file
    if not path.exists():
        raise DatasetError(f"{name}: there is no file interval/{file} in the folder of data sets.")
    return read(path)


def _affairs(path: Path) -> CensoredData:
    table = _csv(path)
    table["gender"] = table["gender"] == "male"
    table["children"] = table["children"] == "yes"
    inputs = ("gender", "age", "yearsmarried", "children", "religiousness", "education")
    X = _numbers(table, (*inputs, "occupation", "rating"))
    # "12" means monthly, weekly or daily, so it is a lower limit.
    seen = CensoringCorruption(lower=0.0, upper=12.0)(_numbers(table, ("affairs",)).ravel())
    return CensoredData(X, seen, "affairs a year; 0 and 12 are limits (Fair 1978)")


def _mroz(path: Path) -> CensoredData:
    table = _csv(path)
    X = _numbers(table, ("nwifeinc", "educ", "exper", "age", "kids5", "kids618"))
    seen = CensoringCorruption(lower=0.0)(_numbers(table, ("hours",)).ravel())
    return CensoredData(X, seen, "hours worked a year; 0 is a limit (Mroz 1987)")


def _botulinum(path: Path) -> CensoredData:
    table = _csv(path)
    X = _numbers(table, ("NaCl_percent", "pH"))
    days = _numbers(table, ("lower_bound_days", "upper_bound_days"))
    return CensoredData(X, _logarithms(days), "log days to growth")


def _bcos(path: Path) -> CensoredData:
    table = _r_table(path, "bcos")
    X = (table["treatment"] == "Rad").to_numpy(dtype=np.float64)[:, np.newaxis]
    months = table[["left", "right"]].to_numpy(dtype=np.float64)
    return CensoredData(X, _logarithms(months), "log months to deterioration")


def _tooth(path: Path) -> CensoredData:
    table = _r_table(path, "tooth24")
    # Both factors have two levels; `pyreadr` reads one of them as missing.
    X = table[["sex", "dmf"]].notna().to_numpy(dtype=np.float64)
    years = table[["left", "right"]].to_numpy(dtype=np.float64)
    return CensoredData(X, Intervals(years[:, 0], years[:, 1]), "age at which a tooth emerges")


def _diabetes(path: Path) -> CensoredData:
    table = _r_table(path, "IR_diabetes")
    X = (table["gender"] == "male").to_numpy(dtype=np.float64)[:, np.newaxis]
    years = table[["left", "right"]].to_numpy(dtype=np.float64)
    seen = Intervals(years[:, 0], years[:, 1])
    return CensoredData(X, seen, "years from diabetes to nephropathy")


def _neuroblastoma(path: Path) -> CensoredData:
    with np.load(path) as file:
        X, lower, upper = (file[key].astype(np.float64) for key in ("X", "lower", "upper"))
        folds = file["fold"].astype(np.intp)
    return CensoredData(X, Intervals(lower, upper), "log penalty of a segmentation", folds)


DATA: Mapping[str, tuple[str, Callable[[Path], CensoredData]]] = MappingProxyType(
    {
        "affairs": ("censored/Affairs.csv", _affairs),
        "mroz87": ("censored/Mroz87.csv", _mroz),
        "c_botulinum": ("censored/lifelines_c_botulinum_lag_phase.csv", _botulinum),
        "bcos": ("censored/bcos.rda", _bcos),
        "diabetes": ("censored/IR_diabetes.RData", _diabetes),
        "tooth24": ("censored/tooth24.rda", _tooth),
        "neuroblastoma": ("neuroblastomaProcessed.npz", _neuroblastoma),
    }
)


def _csv(path: Path) -> Any:
    import pandas as pd

    return pd.read_csv(path)


def _r_table(path: Path, name: str) -> Any:
    try:
        import pyreadr
    except ImportError as error:
        raise DatasetError(
            f"{path.name} is in R's format and needs pyreadr, which is not installed. Run "
            "pip install disambig[bench]."
        ) from error
    return pyreadr.read_r(str(path))[name]


def _numbers(table: Any, columns: tuple[str, ...]) -> FloatArray:
    found: FloatArray = table[list(columns)].to_numpy(dtype=np.float64)
    return found


def _logarithms(ends: FloatArray) -> Intervals:
    """Intervals of the logarithms of durations; 0, which is no lower limit, becomes -inf."""
    with np.errstate(divide="ignore"):
        logs = np.log(ends)
    return Intervals(logs[:, 0], logs[:, 1])
