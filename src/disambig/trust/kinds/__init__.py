"""The examinations of labels, numbers, orders and bits."""
