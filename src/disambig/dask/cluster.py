"""The client that a fit uses: the user's, or workers on this machine."""

import os
from typing import Any

_PATIENCE = "distributed.deploy.lost-worker-timeout"
# On a busy machine a worker takes half a minute to import what it needs.
_RESTART_SECONDS = 300.0


def require_dask() -> None:
    """Raise an `ImportError` that says how to install Dask, unless it is installed."""
    try:
        import distributed  # noqa: F401 - only whether it is there
    except ImportError as error:
        raise ImportError(
            "disambig.dask needs the packages dask and distributed, which are not installed. "
            "Install them by `pip install 'disambig[dask]'`."
        ) from error


def local_client(n_workers: int | None = None, *, memory_limit: Any = "auto") -> Any:
    """A client with worker processes on this machine, which only this machine can reach.

    Parameters
    ----------
    n_workers : int, optional
        By default one for each processor.
    memory_limit : str, int or "auto"
        Of each worker, as in `distributed.LocalCluster`.

    Returns
    -------
    distributed.Client
        Close it, or use it in a ``with`` block; this ends its workers.

    Examples
    --------
    >>> from disambig.dask import local_client
    >>> with local_client(2) as client:  # doctest: +SKIP
    ...     sorted(client.nthreads().values())
    [1, 1]
    """
    require_dask()
    import dask
    from dask.utils import parse_timedelta
    from distributed import Client

    # A worker that dies is started anew. If that takes longer than this, it would be given up.
    known = dask.config.get(_PATIENCE)
    if parse_timedelta(known) < _RESTART_SECONDS:
        dask.config.set({_PATIENCE: f"{_RESTART_SECONDS} s"})
    return Client(
        n_workers=os.cpu_count() if n_workers is None else n_workers,
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
        memory_limit=memory_limit,
    )


def client_of(client: Any) -> tuple[Any, bool]:
    """The client to use, and whether it was started here: the given one, or the current one."""
    from distributed import default_client

    from disambig.dask.executor import check_client

    if client is not None:
        check_client(client)
        return client, False
    try:
        found = default_client()
    except ValueError:
        return local_client(), True
    check_client(found)
    return found, False
