"""Orders of least cost, exactly: plain arrays in, ranks and proven bounds out.

A batch of b problems on m items has ``costs``, ``(b, m, m)``: ``costs[r, i, j]`` is paid if item i
stands before item j. ``before``, ``(b, m, m)`` or ``(m, m)``, forces pairs. An order is given by
its ranks, ``(b, m)``: ``ranks[r, i]`` is the position of item i, 0 = first.
"""
