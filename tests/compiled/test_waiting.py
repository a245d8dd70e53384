"""The line on stderr while functions are compiled for long."""

import io
import subprocess
import sys
from types import SimpleNamespace

import pytest

from disambig.compiled import jit
from disambig.compiled.jit import CompileWatch


def event(module="disambig.compiled.lattice", folder="the/cache"):
    function = SimpleNamespace(__module__=module)
    stats = SimpleNamespace(cache_path=folder)
    return SimpleNamespace(data={"dispatcher": SimpleNamespace(py_func=function, stats=stats)})


@pytest.fixture
def clock(monkeypatch):
    """A clock that the test sets."""
    clock = SimpleNamespace(now=0.0, perf_counter=lambda: clock.now)
    monkeypatch.setattr(jit, "time", clock)
    return clock


def compile_for(watch, clock, seconds, outer, *inner):
    """Report the compilation of `outer`, and of `inner` ones within it after half of the time."""
    watch.on_start(outer)
    clock.now += seconds / 2
    for needed in inner:
        watch.on_start(needed)
        watch.on_end(needed)
    clock.now += seconds / 2
    watch.on_end(outer)


def test_one_line_after_the_limit_and_no_second_one(clock, capsys):
    watch = CompileWatch(5.0)
    compile_for(watch, clock, 3.0, event(), event("numba.core"), event())
    assert capsys.readouterr().err == ""
    compile_for(watch, clock, 2.5, event(), event())
    assert watch.seconds == 5.5
    line = capsys.readouterr().err
    assert line.count("\n") == 1
    assert "later runs load them from the cache in the/cache" in line
    compile_for(watch, clock, 20.0, event())
    assert capsys.readouterr().err == ""


def test_the_line_comes_while_the_function_is_compiled(clock, capsys):
    watch = CompileWatch(5.0)
    watch.on_start(event(folder=None))
    clock.now += 6.0
    watch.on_start(event())
    assert "set NUMBA_CACHE_DIR" in capsys.readouterr().err


def test_functions_of_others_do_not_count(clock, capsys):
    watch = CompileWatch(5.0)
    compile_for(watch, clock, 60.0, event("theirs"), event("numba.core"))
    clock.now += 60.0
    assert watch.seconds == 0.0
    compile_for(watch, clock, 1.0, event("theirs"), event())
    assert capsys.readouterr().err == ""


def test_without_stderr_nothing_is_written(clock, monkeypatch):
    closed = io.StringIO()
    closed.close()
    for stream in (None, closed):
        monkeypatch.setattr(sys, "stderr", stream)
        watch = CompileWatch(5.0)
        compile_for(watch, clock, 6.0, event())
        assert watch.is_written


_PROGRAM = """
import sys, threading
from disambig.compiled import jit
from disambig.compiled.sets import tied_minima
import numpy as np
jit._WATCH.notice_after = 0.0
for _ in range(2):
    tied_minima(np.zeros((1, 2)), np.zeros(1))
assert threading.active_count() == 1
"""


@pytest.mark.needs_jit
def test_only_a_process_that_compiles_writes_the_line(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    command = [sys.executable, "-c", _PROGRAM]
    lines = [
        subprocess.run(command, check=True, capture_output=True, text=True).stderr for _ in range(2)
    ]
    assert lines[0].startswith("disambig: compiling functions for the first use")
    assert str(tmp_path) in lines[0]
    assert lines[1] == ""
