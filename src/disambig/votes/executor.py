"""Where functions of row blocks run: in this process, or on the workers of an engine.

An `Executor` maps a pure function over blocks. What each call is given beside its block is the
same for all blocks, or `RowSlices`: the entries of the rows of the block. Results return in the
order of the blocks, so that nothing depends on which one is ready first.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, is_dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from disambig.notation import AnyArray, IntArray
from disambig.threads import run_in_threads


@dataclass(frozen=True, eq=False)
class RowSlices:
    """An array with one entry for each row, of which each block is given its own rows.

    Parameters
    ----------
    array : array (q, ...)
    bounds : int array (blocks + 1,)
        Block b has the rows ``bounds[b]:bounds[b + 1]``.

    Examples
    --------
    >>> import numpy as np
    >>> slices = RowSlices(np.array([3, 1, 2]), np.array([0, 2, 2, 3]))
    >>> [slices[b].tolist() for b in range(len(slices))]
    [[3, 1], [], [2]]
    """

    array: AnyArray
    bounds: IntArray

    def __len__(self) -> int:
        return self.bounds.size - 1

    def __getitem__(self, block: int) -> AnyArray:
        if not 0 <= block < len(self):
            raise IndexError(block)
        part: AnyArray = self.array[self.bounds[block] : self.bounds[block + 1]]
        return part


@runtime_checkable
class Executor(Protocol):
    """Runs a function once for each block.

    Examples
    --------
    >>> isinstance(LocalExecutor(), Executor)
    True
    """

    def map(
        self, function: Callable[..., Any], blocks: Sequence[Any], *arguments: Any
    ) -> list[Any]:
        """``[function(block, *its arguments) for block in blocks]``, in this order.

        Parameters
        ----------
        function : callable
            A pure function, importable by its name: it may run in another process, and again if
            that process dies.
        blocks : sequence
        *arguments : arrays, numbers, texts or RowSlices
            `RowSlices` give each block its own rows; anything else is the same for all blocks.
            Arrays are never changed after they were passed.
        """
        ...

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """``function(*arguments)`` as a block, which stays where it is computed.

        Parameters
        ----------
        function : callable
            A pure function, importable by its name.
        *arguments
            Blocks, lists of blocks, and anything else.
        """
        ...


class SizedBlock:
    """A block whose arrays count in `sys.getsizeof`.

    Engines move the smaller of two blocks, and free memory, by this size.

    Examples
    --------
    >>> import sys
    >>> import numpy as np
    >>> @dataclass
    ... class Block(SizedBlock):
    ...     rows: object
    >>> sys.getsizeof(Block((np.zeros(1000), 3))) - sys.getsizeof(Block(None))
    8000
    """

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + _array_bytes(tuple(vars(self).values()))


def _array_bytes(value: Any) -> int:
    if isinstance(value, np.ndarray):
        return int(value.nbytes)
    if is_dataclass(value):
        value = tuple(vars(value).values())
    return sum(map(_array_bytes, value)) if isinstance(value, (tuple, list)) else 0


@dataclass(frozen=True, eq=False)
class Deferred:
    """A block that is computed anew whenever it is read, so that it takes no memory.

    Parameters
    ----------
    function : callable
    arguments : tuple
        May hold deferred blocks.

    Examples
    --------
    >>> import operator
    >>> read(Deferred(operator.add, (1, Deferred(operator.neg, (3,)))))
    -2
    """

    function: Callable[..., Any]
    arguments: tuple[Any, ...]


def read(block: Any) -> Any:
    """A block that is deferred, or a list of blocks, computed; any other one as it is.

    Parameters
    ----------
    block : object
    """
    if isinstance(block, Deferred):
        return block.function(*map(read, block.arguments))
    return [read(one) for one in block] if isinstance(block, list) else block


@dataclass(frozen=True)
class LocalExecutor:
    """Runs functions of blocks in this process, in some threads.

    The result does not depend on the number of threads.

    Parameters
    ----------
    n_threads : int, default 1
    keeps : bool, default True
        Whether blocks are kept in memory; else they are computed anew whenever they are read.

    Examples
    --------
    >>> import operator
    >>> LocalExecutor().map(operator.add, [1, 2], 10)
    [11, 12]
    """

    n_threads: int = 1
    keeps: bool = True

    def map(
        self, function: Callable[..., Any], blocks: Sequence[Any], *arguments: Any
    ) -> list[Any]:
        """See `Executor`."""

        def run(number: int) -> Any:
            own = (a[number] if isinstance(a, RowSlices) else a for a in arguments)
            return function(read(blocks[number]), *own)

        return run_in_threads(run, range(len(blocks)), self.n_threads)

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """See `Executor`."""
        if self.keeps:
            return function(*map(read, arguments))
        return Deferred(function, arguments)


IN_THIS_PROCESS = LocalExecutor()
"""The executor of blocks that no other one was named for."""
