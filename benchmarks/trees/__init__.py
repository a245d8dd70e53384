"""Two source trees side by side: their results and their shape."""
