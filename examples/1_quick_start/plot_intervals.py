"""
Numbers known up to an interval
===============================

Nobody has to tell us a number: an interval that contains it is enough to learn the curve.

Each row has a lower and an upper end, either of which may be missing. ``IntervalRegressor`` chooses
one number in every interval, for all rows together, so that the numbers are as predictable from the
inputs as possible. Then it learns from them.
"""

import matplotlib.pyplot as plt
import numpy as np

from disambig import IntervalRegressor

rng = np.random.default_rng(0)
x = np.sort(rng.uniform(0, 6, 80))
truth = 3 * np.sin(x) + x
width = rng.uniform(1, 5, 80)
lower = truth - width * rng.uniform(size=80)
upper = lower + width
# Every fifth row says "at least" only.
upper[::5] = np.inf

model = IntervalRegressor().fit(x[:, None], np.column_stack([lower, upper]))

# %%
# ``labels_`` is the number that was chosen in each interval, and ``predict`` takes new inputs. The
# usual repair is to train on the middles of the intervals. It cannot use "at least", and it learns
# what the widths say, too; here both methods are the same library with the same search.

closed = np.isfinite(upper)
middles = IntervalRegressor().fit(x[closed, None], ((lower + upper) / 2)[closed])
grid = np.linspace(0, 6, 200)
curve = 3 * np.sin(grid) + grid
errors = {}
for name, fitted in (("intervals", model), ("middles", middles)):
    errors[name] = np.abs(fitted.predict(grid[:, None]) - curve).mean()
    print(f"Mean distance to the true curve, trained on {name}: {errors[name]:.2f}")
print(f"Mean width of the intervals that have both ends: {width[closed].mean():.2f}")

# %%
# The curve passes through the intervals; triangles mark the rows without an upper end. It is not
# exact: where intervals are wide and few, several curves agree with all of them.

figure, ax = plt.subplots(figsize=(7.5, 4.2), layout="constrained")
ax.vlines(x[closed], lower[closed], upper[closed], color="0.75", linewidth=2, label="given")
ax.scatter(x[~closed], lower[~closed], marker="^", color="0.5", s=30, label='given: "at least"')
ax.plot(grid, curve, color="black", linestyle=":", label="truth")
ax.plot(grid, model.predict(grid[:, None]), color="#0072B2", linewidth=2, label="from intervals")
ax.plot(grid, middles.predict(grid[:, None]), color="#E69F00", label="from middles")
ax.set(
    xlabel="input",
    ylabel="number",
    ylim=(None, 13),
    title=(
        f"Mean error {errors['intervals']:.2f} from intervals, "
        f"{errors['middles']:.2f} from their middles"
    ),
)
ax.legend(ncols=2, loc="upper left")
plt.show()
