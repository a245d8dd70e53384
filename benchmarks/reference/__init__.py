"""The authors' code on the same inputs as ours, in its own environment.

Their wheel, `plasp` 1.0.0, installs top-level modules `problems`, `weights` and `dataloader` and
needs an old numpy. It is therefore installed in `.venv-reference/` and runs in a subprocess, with
`.npz` files for input and output. Nothing of it is copied here. If the environment cannot be built,
the benchmarks say so and report our results only.

* `environment`: builds or finds it;
* `runner`: the script that the other interpreter executes;
* `jobs`: starts the script and reads its results;
* `agreement`, `classification`, `ranking`, `interval`, `oddities`: the comparisons.
"""
