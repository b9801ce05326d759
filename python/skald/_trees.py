# SPDX-License-Identifier: Apache-2.0
"""Arguments and results made of tuples, lists and dicts: the arrays in them, and the rest.

A structure is what is left without the arrays; it can be compared, hashed if all that is fixed can be,
and filled with other arrays.
"""


class Fixed:
    """A value that is no array.  1, 1.0 and True are different ones, and so are 0.0 and -0.0."""

    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        if type(other) is not Fixed or type(other.value) is not type(self.value):
            return False
        return repr(self.value) == repr(other.value) if type(self.value) is float else bool(self.value == other.value)

    def __hash__(self):
        return hash((type(self.value), self.value))


LEAF = "leaf"


def flatten(value, is_leaf, leaves):
    """The structure; what `is_leaf` accepts is appended to `leaves`."""
    if is_leaf(value):
        leaves.append(value)
        return LEAF
    if isinstance(value, (tuple, list)):
        return (type(value), tuple(flatten(item, is_leaf, leaves) for item in value))
    if type(value) is dict:
        return (dict, tuple((key, flatten(item, is_leaf, leaves)) for key, item in value.items()))
    return Fixed(value)


def fill(structure, leaves):
    """The value of that structure with the next of `leaves`, an iterator, in the places of arrays."""
    if structure is LEAF or structure == LEAF:
        return next(leaves)
    if type(structure) is Fixed:
        return structure.value
    kind, items = structure
    if kind is dict:
        return {key: fill(item, leaves) for key, item in items}
    made = [fill(item, leaves) for item in items]
    return kind._make(made) if hasattr(kind, "_make") else kind(made)
