"""What a fit reports while it runs, and to whom."""
