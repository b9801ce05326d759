# SPDX-License-Identifier: Apache-2.0
"""The lines that random programs are made of (see random_programs.py).

Every method `line_*` of `Writer` writes one line that assigns to a new variable or changes an old one,
and says whether its results are rounded.  A new kind of line is a new method.
"""

INTS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "float32", "float64"]
COMMON = ["bool", "int32", "int64", "uint8", "float32", "float64", "float64", "complex128"]
ALL = ["bool", *INTS, *FLOATS, "complex64", "complex128"]

BINARY = ["add", "subtract", "multiply", "maximum", "minimum", "fmax", "fmin"]
COMPARE = ["less", "less_equal", "greater", "greater_equal", "equal", "not_equal"]
LOGICAL = ["logical_and", "logical_or", "logical_xor"]
BITS = ["bitwise_and", "bitwise_or", "bitwise_xor"]
EXACT_UNARY = ["negative", "absolute", "square", "sign", "positive", "logical_not", "conjugate"]
STEP_UNARY = ["floor", "ceil", "rint", "trunc", "isnan", "isfinite", "isinf", "signbit"]
ROUNDING_UNARY = ["sqrt", "exp", "sin", "cos", "tanh", "log1p", "arctan", "cbrt", "exp2", "reciprocal"]
OPERATORS = ["+", "-", "*"]
INPLACE = ["+=", "-=", "*="]
COMPLEX = ["{0} * (1-2j)", "{0}.conj() * {0}", "{0} - {1}.T.conj().T * 0.5j", "1j * {0}[::-1] + {0}", "-{0} * {0}.real", "{0}.real - {0}.imag"]
ROUNDING_COMPLEX = ["np.exp({0})", "np.sqrt({0})", "np.log({0} + 20)", "np.angle({0} + (30+1j))", "{0} / (1+2j)", "1 / ({0} + (20-1j))",
                    "np.abs({0}) ** 2", "{0} ** 4", "np.sin({0})", "np.cos({0} * 0.25)", "{0} / {0}", "{0} @ {0}.conj().T", "np.vdot({0}, {0})"]


class Writer:
    def __init__(self, rng, environment, scale):
        self.rng, self.environment, self.scale, self.count = rng, environment, scale, 0
        self.kinds = [getattr(self, n) for n in dir(self) if n.startswith("line_")]

    def next_line(self):
        while True:
            if len(self.environment.arrays()) < 2:
                return self.line_create()
            line = self.rng.choice(self.kinds)()
            if line is not None:
                return line

    @staticmethod
    def target_of(line):
        return line.split(" ", 1)[0].split("[")[0]

    # ---- Choosing ------------------------------------------------------------------------------

    def new(self):
        self.count += 1
        return f"v{self.count}"

    def some(self, exact=False, kinds=None, least=0):
        names = [n for n in self.environment.arrays(exact)
                 if self.value(n).ndim >= least and (kinds is None or self.value(n).dtype.kind in kinds)]
        return self.rng.choice(names[-8:]) if names else None

    def value(self, name):
        return self.environment.variables[name]

    def shape(self):
        sizes = [1, 2, 3, 4, 5, 7, 0] if self.rng.random() < 0.1 else [1, 2, 3, 4, 5, 6]
        return tuple(self.rng.choice(sizes) * self.scale for _ in range(self.rng.choice([0, 1, 1, 2, 2, 3])))

    def scalar(self):
        return self.rng.choice(["2", "3", "-1", "1", "0.5", "-1.25", "2.0", "np.float32(1.5)", "np.int64(3)", "True"])

    def like(self, name):
        """An operand that broadcasts with `name`: an array of that shape, a part of it, or a scalar."""
        shape = self.value(name).shape
        fitting = [n for n in self.environment.arrays() if broadcasts(self.value(n).shape, shape)]
        if fitting and self.rng.random() < 0.75:
            return self.rng.choice(fitting[-6:])
        return self.scalar()

    def slice_of(self, extent):
        form = self.rng.randrange(6)
        if form == 0 or extent < 2:
            return ":"
        low, step = self.rng.randrange(extent), self.rng.choice([1, 1, 2, 3])
        if form == 1:
            return f"{low}:"
        if form == 2:
            return f":{low + 1}:{step}"
        if form == 3:
            return f"::{-step}"
        if form == 4:
            return f"-{low + 1}:"
        return f"{low}::{step}"

    def index(self, name, integers=True):
        parts, dims = [], self.value(name).ndim
        for axis in range(self.rng.randint(1, dims) if dims else 0):
            extent = self.value(name).shape[axis]
            if integers and extent and self.rng.random() < 0.25:
                parts.append(str(self.rng.randrange(-extent, extent)))
            else:
                parts.append(self.slice_of(extent))
        if self.rng.random() < 0.15:
            parts.insert(self.rng.randint(0, len(parts)), "None")
        if self.rng.random() < 0.1 or not parts:
            parts.insert(self.rng.randint(0, len(parts)), "...")
        return ", ".join(parts)

    def axis_of(self, name):
        dims = self.value(name).ndim
        if dims == 0 or self.rng.random() < 0.3:
            return "None"
        if dims >= 2 and self.rng.random() < 0.2:
            return "(0, -1)"
        return str(self.rng.randrange(-dims, dims))

    def one_axis(self, name):
        dims = self.value(name).ndim
        return str(self.rng.randrange(-dims, dims)) if dims else "0"

    # ---- New arrays ------------------------------------------------------------------------------

    def line_create(self):
        shape, dtype, name = self.shape(), self.rng.choice(COMMON if self.rng.random() < 0.8 else ALL), self.new()
        size = 1
        for extent in shape:
            size *= extent
        form = self.rng.randrange(7)
        if form == 0:
            return f"{name} = np.zeros({shape}, dtype=np.{dtype})", False
        if form == 1:
            return f"{name} = np.full({shape}, {self.rng.choice([2, 3, 0.5])}, dtype=np.{dtype})", False
        if form == 2 and size:
            start = self.rng.randrange(-6, 6) if dtype[0] not in "ub" else 0
            step = self.rng.choice(["1", "0.25"]) if dtype[0] in "fc" else "1"
            return f"{name} = ((np.arange({size}) % 23 + {start}) * {step}).astype(np.{dtype}).reshape({shape})", False
        if form == 3:
            return f"{name} = np.eye({self.rng.randint(1, 4) * self.scale}, {self.rng.randint(1, 4)}, k={self.rng.randint(-1, 1)})", False
        values = [self.rng.choice([0, 1, 2, 3, 5, -1, -2, 0.25, 1.5]) for _ in range(min(size, 40))]
        if dtype[0] in "ub":
            values = [abs(int(v)) for v in values]
        if dtype[0] == "i":
            values = [int(v) for v in values]
        if size > 40:
            return f"{name} = np.resize(np.array({values}, dtype=np.{dtype}), {shape})", False
        return f"{name} = np.array({values}, dtype=np.{dtype}).reshape({shape})", False

    def line_special_values(self):
        return f"{self.new()} = np.array([np.nan, 1.0, np.inf, -np.inf, 0.0, -0.0, 2.5])", False

    # ---- Views -----------------------------------------------------------------------------------

    def line_view(self):
        name = self.some(least=1)
        return name and (f"{self.new()} = {name}[{self.index(name)}]", False)

    line_view_again = line_view

    def line_transposed(self):
        name = self.some()
        form = self.rng.choice([".T", ".ravel()", ".reshape(-1)", ".squeeze()", ".real", "[None]", "[..., None]",
                                ".flatten()", ".copy()", ".view()", ".imag"])
        # What NumPy keeps by columns, we keep by rows (docs/numpy.md): one of the two gives a view.
        if name and form in (".ravel()", ".reshape(-1)") and not self.has_rows(name):
            return None
        return f"{self.new()} = {name}{form}", False

    def has_rows(self, name):
        base = self.value(name)
        while isinstance(base.base, type(base)):
            base = base.base
        return base.flags.c_contiguous

    def line_two_axes(self):
        name = self.some(least=2)
        form = self.rng.choice(["np.swapaxes({0}, 0, -1)", "{0}.diagonal()", "np.moveaxis({0}, 0, -1)", "np.flip({0}, 0)",
                                "np.rot90({0})", "{0}.reshape({0}.shape[::-1])", "np.fliplr({0})", "{0}.trace()"])
        if name and "reshape" in form and not self.has_rows(name):
            return None
        return name and (f"{self.new()} = {form.format(name)}", False)

    def line_broadcast_to(self):
        name = self.some()
        return f"{self.new()} = np.broadcast_to({name}, (2,) + {name}.shape)", False

    # ---- Elementwise -----------------------------------------------------------------------------

    def line_binary(self):
        name = self.some()
        other = self.like(name)
        if self.rng.random() < 0.5:
            return f"{self.new()} = {name} {self.rng.choice(OPERATORS)} {other}", False
        return f"{self.new()} = np.{self.rng.choice(BINARY)}({name}, {other})", False

    line_binary_again = line_binary
    line_binary_more = line_binary

    def line_reflected(self):
        name = self.some()
        return f"{self.new()} = {self.scalar()} {self.rng.choice(OPERATORS)} {name}", False

    def line_compare(self):
        name = self.some(exact=True)
        other = self.like(name) if name else ""
        if not name or (other.startswith("v") and not self.environment.is_exact(other)):
            return None
        return f"{self.new()} = np.{self.rng.choice(COMPARE)}({name}, {other})", False

    def line_logical(self):
        name = self.some(exact=True)
        other = name and self.like(name)
        return name and (f"{self.new()} = np.{self.rng.choice(LOGICAL)}({name}, {other})", False)

    def line_bits(self):
        name = self.some(kinds="biu")
        other = self.some(kinds="biu")
        return name and (f"{self.new()} = np.{self.rng.choice(BITS)}({name}, {other})", False)

    def line_shift(self):
        name = self.some(kinds="iu")
        return name and (f"{self.new()} = {name} {self.rng.choice(['<<', '>>'])} {self.rng.randint(0, 3)}", False)

    def line_unary(self):
        name = self.some()
        return f"{self.new()} = np.{self.rng.choice(EXACT_UNARY)}({name})", False

    def line_steps(self):
        name = self.some(exact=True)
        return name and (f"{self.new()} = np.{self.rng.choice(STEP_UNARY)}({name})", False)

    def line_rounding(self):
        name = self.some()
        return f"{self.new()} = np.{self.rng.choice(ROUNDING_UNARY)}({name})", True

    def line_divide(self):
        name = self.some()
        form = self.rng.choice(["{0} / {1}", "{0} // {1}", "{0} % {1}", "np.divmod({0}, {1})[0]", "np.fmod({0}, {1})"])
        exact = self.some(exact=True)
        name = name if form == "{0} / {1}" else exact
        return name and (f"{self.new()} = {form.format(name, self.rng.choice(['2', '3', '-2', '0.5', 'np.int8(3)']))}", True)

    def line_power(self):
        name = self.some()
        return f"{self.new()} = {name} ** {self.rng.choice(['2', '3', '0.5', '2.0', '1'])}", True

    def line_astype(self):
        name = self.some(exact=True, kinds="biu") or self.some()
        wanted = self.rng.choice(ALL)
        if self.value(name).dtype.kind not in "biu":
            wanted = self.rng.choice(["float32", "float64", "complex128"])
        return f"{self.new()} = {name}.astype(np.{wanted})", False

    def line_where(self):
        name, mask = self.some(), self.some(kinds="b")
        return mask and (f"{self.new()} = np.where({mask}, {name}, {self.like(name)})", False)

    # ---- Complex numbers -------------------------------------------------------------------------

    def line_complex(self):
        name = self.some(kinds="c", least=1)
        return name and (f"{self.new()} = {self.rng.choice(COMPLEX).format(name, name)}", False)

    def line_complex_rounding(self):
        name = self.some(kinds="c", least=1)
        if not name or self.value(name).size > 4096:
            return None
        return f"{self.new()} = {self.rng.choice(ROUNDING_COMPLEX).format(name)}", True

    def line_from_parts(self):
        name = self.some(kinds="biuf")
        return name and (f"{self.new()} = {name} + {self.rng.choice(['1j', '(2-0.5j)', 'np.complex64(1j)'])} * {self.like(name)}", False)

    def line_write_part(self):
        name = self.some(kinds="c", least=1)
        # NumPy lets an array that is read-only be written with what it holds (docs/numpy.md).
        if not name or not self.value(name).flags.writeable:
            return None
        part = self.rng.choice(["real", "imag"])
        forms = [f"{name}.{part}[{self.index(name)}] {self.rng.choice(INPLACE + ['='])} {self.scalar()}" if name else "",
                 f"{name}.{part} = {name}.real", f"{name}.{part} *= 2", f"{name}.{part}[...] = {name}.imag[::-1]"]
        return name and (self.rng.choice(forms), False)

    def line_clip(self):
        name = self.some(kinds="iuf")
        return name and (f"{self.new()} = np.clip({name}, {self.rng.choice(['1', 'None', '0'])}, {self.rng.choice(['2', '3.0', '4'])})", False)

    # ---- Changes in place ------------------------------------------------------------------------

    def line_inplace(self):
        name = self.some()
        return f"{name} {self.rng.choice(INPLACE)} {self.like(name)}", False

    def line_inplace_view(self):
        name = self.some(least=1)
        if not name:
            return None
        return f"{name}[{self.index(name)}] {self.rng.choice(INPLACE + ['='])} {self.scalar()}", False

    def line_overlap(self):
        name = self.some(least=1)
        forms = ["{0}[1:] {1} {0}[:-1]", "{0}[:-1] {1} {0}[1:]", "{0}[...] {1} {0}[::-1]", "{0}[1:-1] {1} {0}[:-2] + {0}[2:]",
                 "{0}[::2] {1} {0}[:({0}.shape[0] + 1) // 2]", "{0}[..., 1:] {1} {0}[..., :-1]"]
        form, operator = self.rng.choice(forms), self.rng.choice(INPLACE + ["=", "="])
        # NumPy 2.4 writes some elements of this one before it has read them (docs/numpy.md).
        if form.startswith("{0}[::2]") and operator == "=":
            return None
        return name and (form.format(name, operator), False)

    line_overlap_again = line_overlap

    def line_transposed_overlap(self):
        names = [n for n in self.environment.arrays() if self.value(n).ndim == 2 and len(set(self.value(n).shape)) == 1]
        return names and (f"{self.rng.choice(names)}".join(["", f"[...] {self.rng.choice(['=', '+='])} "])
                          + f"{self.rng.choice(names)}.T", False) or None

    def line_whole(self):
        name = self.some(least=1)
        return name and (f"{name}[:] = {self.like(name)}", False)

    def line_mask_write(self):
        name = self.some(exact=True, least=1)
        mask = self.rng.choice(["{0} > 1", "{0} != {0}", "np.isfinite({0})", "{0} <= 0"])
        if not name or self.value(name).dtype.kind == "c":
            return None
        return f"{name}[{mask.format(name)}] {self.rng.choice(['=', '+=', '*='])} {self.scalar()}", False

    def line_mask_update(self):
        name = self.some(exact=True, least=1)
        if not name or self.value(name).dtype.kind == "c":
            return None
        mask = self.rng.choice(["{0} > 1", "{0} != 0", "{0} <= 1", "{0}[..., 0] > 0" if self.value(name).ndim > 1 else "{0} < 2"]).format(name)
        chosen = f"{name}[{mask}]"
        value = self.rng.choice(["{0} + {1}", "{0} * 2 - {0}", "np.maximum({0}, {1})", "-{0}", "np.sqrt({0} * {0})"]).format(chosen, self.scalar())
        return f"{chosen} = {value}", "sqrt" in value

    line_mask_update_again = line_mask_update

    def line_mask_sum(self):
        name, mask = self.some(exact=True), self.some(kinds="b", least=1)
        if not name or not mask or self.value(mask).shape != self.value(name).shape:
            return None
        return f"{self.new()} = ({name}[{mask}] {self.rng.choice(['+', '*'])} {self.scalar()}).{self.rng.choice(['sum()', 'any()', 'all()', 'mean()'])}", True

    def line_masked_ufunc(self):
        name, mask = self.some(), self.some(kinds="b")
        if not mask or self.value(mask).shape != self.value(name).shape:
            return None
        return f"np.add({name}, {self.scalar()}, out={name}, where={mask}, casting='unsafe')", False

    def line_copyto(self):
        name = self.some()
        if not self.value(name).flags.writeable:
            return None
        return f"np.copyto({name}, {self.like(name)}, casting='unsafe')", False

    def line_element(self):
        name = self.some(least=1)
        if not name or not self.value(name).size:
            return None
        where = ", ".join(str(self.rng.randrange(-e, e)) for e in self.value(name).shape)
        return f"{name}[{where}] = {self.scalar()}", False

    def line_fill(self):
        return f"{self.some()}.fill({self.rng.choice(['1', '2', '0'])})", False

    # ---- Gathers and scatters --------------------------------------------------------------------

    def positions(self, extent):
        return [self.rng.randrange(-extent, extent) for _ in range(self.rng.randint(1, 4))]

    def line_gather(self):
        name = self.some(least=1)
        if not name or not self.value(name).shape[0]:
            return None
        at = self.positions(self.value(name).shape[0])
        form = self.rng.choice(["{0}[{1}]", "np.take({0}, {1}, axis=0)", "{0}[np.array({1})]", "{0}[{1}, ...]", "{0}[:][{1}]"])
        return f"{self.new()} = {form.format(name, at)}", False

    def line_scatter(self):
        name = self.some(least=1)
        if not name or not self.value(name).shape[0]:
            return None
        at = sorted(set(self.positions(self.value(name).shape[0])))
        form = self.rng.choice(["{0}[{1}] = {2}", "{0}[{1}] += {2}", "np.add.at({0}, {1}, {2})"])
        at = at if "=" not in form.replace("+=", "") or len(at) == 1 else at[:1]
        return form.format(name, at, self.rng.choice(["1", "2", "0"])), False

    def line_two_index_arrays(self):
        name = self.some(least=2)
        if not name or not all(self.value(name).shape[:2]):
            return None
        rows, columns = self.positions(self.value(name).shape[0]), self.positions(self.value(name).shape[1])
        least = min(len(rows), len(columns))
        return f"{self.new()} = {name}[{rows[:least]}, {columns[:least]}]", False

    def line_mask_read(self):
        name, mask = self.some(), self.some(kinds="b", least=1)
        if not mask or self.value(mask).shape != self.value(name).shape:
            return None
        return f"{self.new()} = {name}[{mask}]", False

    def line_nonzero(self):
        name = self.some(exact=True, least=1)
        return name and (f"{self.new()} = np.nonzero({name})[0]", False)

    # ---- Reductions and scans --------------------------------------------------------------------

    def line_reduce(self):
        name = self.some()
        what = self.rng.choice(["sum", "prod", "min", "max", "any", "all", "sum", "max"])
        extra = self.rng.choice(["", "", ", keepdims=True"])
        return f"{self.new()} = np.{what}({name}, axis={self.axis_of(name)}{extra})", False

    line_reduce_again = line_reduce

    def line_statistics(self):
        name = self.some()
        what = self.rng.choice(["mean", "var", "std", "mean"])
        return f"{self.new()} = {name}.{what}(axis={self.axis_of(name)})", True

    def line_sum_of_dtype(self):
        name = self.some(kinds="biu")
        dtype = self.rng.choice(["float64", "int64", "uint8", "float32", "complex128"])
        return name and (f"{self.new()} = {name}.sum(axis={self.axis_of(name)}, dtype=np.{dtype})", False)

    def line_arg(self):
        name = self.some(exact=True, kinds="biuf")
        return name and (f"{self.new()} = np.{self.rng.choice(['argmin', 'argmax'])}({name}, axis={self.one_axis(name)})", False)

    def line_scan(self):
        name = self.some()
        what = self.rng.choice(["cumsum", "cumprod"])
        return f"{self.new()} = np.{what}({name}, axis={self.one_axis(name)})", False

    def line_ufunc_method(self):
        name = self.some()
        form = self.rng.choice(["np.{1}.reduce({0}, axis=0)", "np.{1}.accumulate({0}, axis=0)", "np.{1}.outer({0}.ravel(), {0}.ravel())"])
        if "outer" in form and self.value(name).size > 4096:
            return None
        return f"{self.new()} = {form.format(name, self.rng.choice(['add', 'multiply', 'maximum', 'minimum']))}", False

    def line_count(self):
        name = self.some(exact=True)
        return name and (f"{self.new()} = np.count_nonzero({name}, axis={self.axis_of(name)})", False)

    # ---- Functions of the namespace --------------------------------------------------------------

    def line_joined(self):
        name = self.some(least=1)
        names = [n for n in self.environment.arrays() if name and self.value(n).shape == self.value(name).shape]
        if not names:
            return None
        other = self.rng.choice(names)
        form = self.rng.choice(["np.concatenate(({0}, {1}), axis={2})", "np.stack(({0}, {1}), axis={2})", "np.vstack(({0}, {1}))",
                                "np.hstack(({0}, {1}))", "np.dstack(({0}, {1}))", "np.append({0}, {1})"])
        return f"{self.new()} = {form.format(name, other, self.one_axis(name))}", False

    def line_moved(self):
        name = self.some(least=1)
        form = self.rng.choice(["np.roll({0}, 1)", "np.roll({0}, -2, axis={1})", "np.pad({0}, 1)", "np.tile({0}, 2)", "np.repeat({0}, 2, axis={1})",
                                "np.diff({0}, axis={1})", "np.pad({0}, 1, mode='edge')", "{0}.repeat(3)", "np.tri(3, 4)", "np.triu({0})", "np.tril({0})",
                                "np.expand_dims({0}, {1})", "np.atleast_2d({0})", "np.trim_zeros({0})", "np.array_split({0}, 2)[0]"])
        return name and (f"{self.new()} = {form.format(name, self.one_axis(name))}", False)

    def line_sorted(self):
        name = self.some(exact=True, least=1, kinds="biuf")
        form = self.rng.choice(["np.sort({0}, axis={1})", "np.unique({0})", "np.argsort({0}, axis={1}, kind='stable')", "np.sort({0}, axis=None)",
                                "np.searchsorted(np.sort({0}.ravel()), [0, 1, 2])", "np.median({0})"])
        return name and (f"{self.new()} = {form.format(name, self.one_axis(name))}", False)

    def line_product(self):
        name = self.some(least=1, kinds="iuf")
        form = self.rng.choice(["np.dot({0}.ravel(), {0}.ravel())", "{0} @ {0}.T", "np.outer({0}, {0})", "np.inner({0}, {0})", "np.vdot({0}, {0})",
                                "np.tensordot({0}, {0}, axes={0}.ndim)", "np.einsum('...i,...i', {0}, {0})", "np.kron({0}, {0})",
                                "{1} @ {1}[0]", "{1}[:, 0] @ {1}", "{1}.T @ ({1}[:, -1] + 1)", "({1}[-1] * 2) @ {1}.T[:, ::-1]"])
        rows = f"{name}.reshape({name}.shape[0], -1)"
        if name and self.value(name).size > 4096 and any(large in form for large in ("outer", "inner", "kron", "@ {0}.T")):
            return None
        return name and (f"{self.new()} = {form.format(name, rows)}", True)

    def line_nan(self):
        name = self.some()
        form = self.rng.choice(["np.nansum({0})", "np.nanmax({0}, axis=None)", "np.nan_to_num({0})", "np.nanprod({0})", "np.isclose({0}, 1)", "np.array_equal({0}, {0})"])
        return f"{self.new()} = {form.format(name)}", False

    def line_forced(self):
        name = self.some(exact=True)
        form = self.rng.choice(["{0}.tolist()", "bool({0}.any())", "{0}.shape", "len({0})", "{0}.size", "str({0}.dtype)",
                                "int({0}.ravel()[0])", "float({0}.sum())"])
        return name and (f"{self.new()} = {form.format(name)}", False)

    def line_forget(self):
        name = self.some()
        return f"{name} = {name} + 1", False


def broadcasts(shape, target):
    if len(shape) > len(target):
        return False
    return all(have in (1, want) for have, want in zip(shape[::-1], target[::-1]))
