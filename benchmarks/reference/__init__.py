"""The authors' own code on the same inputs, in an environment of its own.

Their wheel, `plasp` 1.0.0, installs top-level modules `problems`, `weights` and `dataloader` and
needs an old numpy, so it lives in `.venv-reference/` and runs in a subprocess: arrays go in and
come back as `.npz` files. Nothing of it is copied here. Where the environment cannot be built, the
benchmarks say so and report our figures alone.

* `environment`: build or find it;
* `runner`: the script that the other interpreter executes;
* `jobs`: our side of a run;
* `agreement`, `classification`, `ranking`, `interval`, `oddities`: what is compared.
"""
