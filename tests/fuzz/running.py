"""Run cases: which group a number is of, time limits, and what failed, by place."""

import faulthandler
import signal
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from tests.fuzz import commands, estimators, models, tables, texts, trust
from tests.fuzz.case import Case
from tests.fuzz.verdict import DefectError, Hang, OwnError

# Seconds that a case may take, and after which the process is ended if it does not react.
LIMIT, HARD_LIMIT = 20.0, 600.0
_COMPILERS = ("numba/", "llvmlite/")

# How often each group comes in a hundred numbers; what is fast comes more often.
GROUPS: dict[str, tuple[int, Callable[[Case], None]]] = {
    "files": (15, tables.file_case),
    "commands": (3, commands.command_case),
    "frames": (12, tables.frame_case),
    "texts": (14, texts.text_case),
    "candidates": (12, texts.candidates_case),
    "annotations": (3, texts.annotations_case),
    "labels": (10, estimators.fit_case("labels")),
    "numbers": (6, estimators.fit_case("numbers")),
    "orders": (4, estimators.fit_case("orders")),
    "bits": (4, estimators.fit_case("bits")),
    "alternation": (3, estimators.alternation_case),
    "disambiguate": (3, estimators.disambiguate_case),
    "examination": (4, trust.examination_case),
    "diagnosis": (3, trust.diagnosis_case),
    "saved models": (3, models.load_case),
    "saving": (1, models.save_case),
}


@dataclass(frozen=True)
class Outcome:
    """How a case ended: "result", "refused", or "failed" with a place and a message."""

    number: int
    group: str
    ending: str
    place: str = ""
    message: str = ""
    notes: tuple[str, ...] = ()
    trace: str = ""


def group_of(number: int) -> str:
    """The group of a case; every hundred numbers in a row have all groups."""
    # 37 has no factor in common with 100, so that neighbours are of different groups.
    place = number * 37 % 100
    for name, (share, _) in GROUPS.items():
        if place < share:
            return name
        place -= share
    raise AssertionError("the shares of the groups sum to one hundred")


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    def ring(_: int, frame: FrameType | None) -> None:
        while frame is not None:
            if frame.f_code.co_filename.split("/site-packages/")[-1].startswith(_COMPILERS):
                # Functions are compiled at their first use; that is no hang.
                signal.setitimer(signal.ITIMER_REAL, seconds)
                return
            frame = frame.f_back
        raise Hang

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def run(seed: int, number: int, folder: Path, limit: float = LIMIT) -> Outcome:
    """Run one case."""
    case = Case(seed, number, folder)
    group = group_of(number)

    def failed(place: str, message: str) -> Outcome:
        trace = traceback.format_exc()
        return Outcome(number, group, "failed", place, message, tuple(case.notes), trace)

    try:
        with warnings.catch_warnings(), _limited(limit):
            # Those of the generator; `attempt` looks at those of ours.
            warnings.simplefilter("ignore")
            GROUPS[group][1](case)
    except OwnError as refused:
        return Outcome(number, group, "refused", message=str(refused), notes=tuple(case.notes))
    except DefectError as defect:
        return failed(defect.place, defect.message)
    except Hang as hang:
        frame = traceback.extract_tb(hang.__traceback__)[-2]
        return failed(f"{frame.filename}:{frame.lineno}", f"takes more than {limit:g} s")
    except Exception as error:  # noqa: BLE001 - an error of the generator is reported like others.
        frame = traceback.extract_tb(error.__traceback__)[-1]
        place = f"the generator, {frame.filename}:{frame.lineno}"
        return failed(place, f"{type(error).__name__}: {error!s:.160}")
    return Outcome(number, group, "result", notes=tuple(case.notes))


def run_all(seed: int, numbers: Iterable[int], folder: Path) -> Iterator[Outcome]:
    """Run cases in this process; one that does not even react to the alarm ends it."""
    for number in numbers:
        faulthandler.dump_traceback_later(HARD_LIMIT, exit=True)
        try:
            yield run(seed, number, folder)
        finally:
            faulthandler.cancel_dump_traceback_later()
