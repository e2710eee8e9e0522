"""Types of what commands print as JSON, which :meth:`fusescape.Result.to_dict` gives: a module for each kind, with its ``Report``; in
``shared`` are the types that several kinds have.

Lists that have something else at each place are typed as tuples, as no type of a list says so.
"""

from . import attention, compare, cores, depth_first, fuse, hierarchy, layer, optimal, sequences, shared, study, study_front

__all__ = [
    "attention",
    "compare",
    "cores",
    "depth_first",
    "fuse",
    "hierarchy",
    "layer",
    "optimal",
    "sequences",
    "shared",
    "study",
    "study_front",
]
