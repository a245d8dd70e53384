"""What a command says instead of a traceback."""

from importlib import import_module

__all__ = ["Refusal", "is_installed", "require_packages"]


class Refusal(Exception):  # noqa: N818
    """A command cannot do what it was asked; the message says why and what to do.

    Parameters
    ----------
    message : str
    code : int
        The exit code: 2 where something must be changed before trying again, 1 where it failed.
    """

    def __init__(self, message: str, code: int = 2) -> None:
        super().__init__(message)
        self.code = code


def require_packages(names: tuple[str, ...], extras: str) -> None:
    """Refuse if one of the optional packages is missing, and say how to install them."""
    missing = [name for name in names if not is_installed(name)]
    if missing:
        raise Refusal(
            f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} not installed. Run\n"
            f'    pip install "disambig[{extras}]"\n'
            f'(from a checkout: pip install ".[{extras}]") and try again.'
        )


def is_installed(name: str) -> bool:
    """Can the package be imported? One that breaks for want of another raises."""
    try:
        import_module(name)
    except ModuleNotFoundError as error:
        # A package that is there and breaks for want of another one is not ours to explain.
        if error.name is not None and error.name.partition(".")[0] != name:
            raise
        return False
    return True
