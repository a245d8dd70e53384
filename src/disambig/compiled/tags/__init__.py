"""The cheapest choices of tags."""
