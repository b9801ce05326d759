# SPDX-License-Identifier: Apache-2.0
"""What the values of entry points look like in Python: tuples, records, arrays of tuples, opaque values.

An entry point sees core values, which are numbers and arrays; its user sees what the source says.  A
layout such as "(i32, []f64)" or "{x: f32, y: f32}" (docs/ir.md, the line `entry`) says how they belong
together.
"""

_NUMBERS = ("bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "f32", "f64")


class Opaque:
    """A value whose inside belongs to the program: it can only be given back to it."""

    def __init__(self, type, parts):
        self.type, self._parts = type, tuple(parts)

    def __repr__(self):
        return f"<skald value of type {self.type}>"


class Layout:
    """One parameter or result: `count` core values."""

    def __init__(self, type, layout, unique, count):
        self.type, self.unique, self.count = type, unique, count
        self._shape = _parsed(layout) if layout else None
        if self._shape is None and (layout or count != 1):
            self._shape = ("opaque",)

    def take_apart(self, value, where):
        """The core values; TypeError that begins with `where` if it has another form."""
        if self._shape is None:
            return [value]
        if self._shape[0] == "opaque":
            if not isinstance(value, Opaque) or value.type != self.type or len(value._parts) != self.count:
                raise TypeError(f"{where} ({self.type}): a value of that type is expected, which only the program makes; {_kind(value)} was given")
            return list(value._parts)
        return _flat(self._shape, value, f"{where} ({self.type})")

    def put_together(self, parts):
        if self._shape is None:
            return parts[0]
        if self._shape[0] == "opaque":
            return Opaque(self.type, parts)
        return _nested(self._shape, iter(parts))


def _kind(value):
    return f"{value.type} of another program" if isinstance(value, Opaque) else type(value).__name__


def _flat(shape, value, where):
    if shape[0] == "leaf":
        return [value]
    if shape[0] == "tuple":
        if not isinstance(value, (tuple, list)) or len(value) != len(shape[1]):
            raise TypeError(f"{where}: a tuple of {len(shape[1])} is expected, but {_kind(value)} was given")
        items = value
    else:
        if not isinstance(value, dict) or set(value) != set(shape[2]):
            raise TypeError(f"{where}: a dict with the keys {', '.join(shape[2])} is expected, but {_kind(value)} was given")
        items = [value[key] for key in shape[2]]
    return [part for inner, item in zip(shape[1], items) for part in _flat(inner, item, where)]


def _nested(shape, parts):
    if shape[0] == "leaf":
        return next(parts)
    items = [_nested(inner, parts) for inner in shape[1]]
    return tuple(items) if shape[0] == "tuple" else dict(zip(shape[2], items))


def _parsed(text):
    """("leaf",), ("tuple", parts), ("record", parts, names), or None for what has no form in Python."""
    shape, rest = _read(text.strip())
    return shape if shape is not None and not rest else None


def _read(text):
    rest = text
    while rest.startswith("[]"):
        rest = rest[2:]
    for name in sorted(_NUMBERS, key=len, reverse=True):
        if rest.startswith(name) and not rest[len(name):len(name) + 1].isalnum():
            return ("leaf",), rest[len(name):].lstrip()
    # An array of tuples is a tuple of arrays.
    if rest.startswith("("):
        return _read_items(rest[1:].lstrip(), ")", False)
    if rest.startswith("{"):
        return _read_items(rest[1:].lstrip(), "}", True)
    return None, text


def _read_items(rest, end, named):
    parts, names = [], []
    while not rest.startswith(end):
        if named:
            name, colon, rest = rest.partition(":")
            if not colon:
                return None, rest
            names.append(name.strip())
            rest = rest.lstrip()
        part, rest = _read(rest)
        if part is None:
            return None, rest
        parts.append(part)
        if rest.startswith(","):
            rest = rest[1:].lstrip()
        elif not rest.startswith(end):
            return None, rest
    return (("record", parts, names) if named else ("tuple", parts)), rest[1:].lstrip()
