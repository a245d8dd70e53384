"""The made-up table of ``disambig demo``: bird sightings, with the species as candidates.

    python -m benchmarks.demo_table --write

writes ``src/disambig/cli/demo/sightings.csv``. Observers who are unsure name the birds that it may
have been: mostly those that look alike, sometimes what it was not, sometimes nothing.
"""

import argparse
import csv
import io
from datetime import date, timedelta
from pathlib import Path

import numpy as np

FILE = Path(__file__).parents[1] / "src" / "disambig" / "cli" / "demo" / "sightings.csv"
COLUMNS = ("sighting", "date", "wing_cm", "weight_g", "habitat", "song", "species", "truth")
N_ROWS = 480
# Wing and weight with their spread, where it lives, how it sings, the months with it.
SPECIES = {
    "wren": ((5.0, 0.35), (9.5, 1.2), ("hedge", "forest"), "loud rattling trill", (3, 10)),
    "goldcrest": ((5.4, 0.35), (6.0, 0.8), ("forest", "garden"), "thin high whisper", (1, 12)),
    "robin": ((7.2, 0.4), (18.0, 2.0), ("garden", "hedge"), "clear falling phrases", (1, 12)),
    "redstart": ((7.9, 0.4), (15.0, 1.8), ("forest", "garden"), "short scratchy rattle", (4, 9)),
    "chaffinch": ((8.6, 0.45), (22.0, 2.4), ("forest", "field"), "rattle with a flourish", (2, 11)),
    "linnet": ((8.1, 0.45), (19.0, 2.0), ("field", "hedge"), "fast twitter", (3, 10)),
}
HABITATS = ("garden", "forest", "hedge", "field")
LOOK_ALIKES = {
    "wren": "goldcrest", "goldcrest": "wren", "robin": "redstart", "redstart": "robin",
    "chaffinch": "linnet", "linnet": "chaffinch",
}  # fmt: skip


def sightings(seed: int = 7) -> str:
    """The table as CSV."""
    rng = np.random.default_rng(seed)
    names = list(SPECIES)
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(COLUMNS)
    for number in range(N_ROWS):
        truth = names[int(rng.integers(len(names)))]
        wing, weight, habitats, song, months = SPECIES[truth]
        month = int(rng.integers(months[0], months[1] + 1))
        when = date(2024, month, 1) + timedelta(days=int(rng.integers(28)))
        habitat = habitats[int(rng.integers(2))] if rng.random() < 0.85 else _any(rng, HABITATS)
        writer.writerow(
            (
                f"S{number + 1:03d}",
                when.isoformat(),
                f"{rng.normal(*wing):.1f}",
                f"{rng.normal(*weight):.1f}" if rng.random() < 0.85 else "",
                habitat,
                song if rng.random() < 0.35 else "silent",
                _candidates(truth, names, rng),
                truth,
            )
        )
    return buffer.getvalue()


def _any(rng: np.random.Generator, values: tuple[str, ...]) -> str:
    return values[int(rng.integers(len(values)))]


def _candidates(truth: str, names: list[str], rng: np.random.Generator) -> str:
    """What an observer writes: always right, seldom certain."""
    draw = rng.random()
    if draw < 0.15:
        return truth
    others = [name for name in names if name != truth]
    if draw < 0.22:
        return f"not {others[int(rng.integers(len(others)))]}"
    if draw < 0.27:
        return "unknown"
    listed = {truth}
    if rng.random() < 0.8:
        listed.add(LOOK_ALIKES[truth])
    while len(listed) < 2 or rng.random() < 0.35:
        listed.add(others[int(rng.integers(len(others)))])
    order = sorted(listed)
    rng.shuffle(order)
    return "|".join(order)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="write the file")
    if parser.parse_args().write:
        FILE.write_text(sightings(), encoding="utf-8")
    else:
        print(sightings(), end="")


if __name__ == "__main__":
    main()
