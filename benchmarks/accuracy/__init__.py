"""Classification from candidate sets beside other methods; run it by its name."""
