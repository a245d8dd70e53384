"""Saved models: one file, checked before it is loaded, that runs no code."""

from disambig.persistence.description import ModelDescription
from disambig.persistence.models import describe_model, load_model, save_model
from disambig.persistence.trusted import trusted_types

__all__ = ["ModelDescription", "describe_model", "load_model", "save_model", "trusted_types"]
