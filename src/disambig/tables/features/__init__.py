"""Feature columns: their types, what is dropped, and how they become numbers."""
