"""Variations of the paper's regression problem, a sine wave that is known up to intervals."""
