"""Weights from partitions of the input space: histograms, trees and forests."""
