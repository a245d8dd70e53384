"""What `tolerance` wins back where sets are wrong, and what it costs where none is."""
