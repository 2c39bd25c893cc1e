"""Numbers side by side as machine vectors inside compiled functions, private.

A compiler does not know how long a loop will be, or that two arrays do not overlap, and so often works
on one number at a time. Here some numbers that stand side by side in an array are one value, an LLVM
vector whose length is part of its type and that turns into one machine register or a few::

    zero = lanes(reach, places)             # zeros of the array's type, as many as the tuple is long
    played = load(reach, place, zero) * load(strategy, place, zero)
    store(reach, below, played)

Arrays are C-contiguous, float32 or float64; a place counts single numbers from the array's start, and
nothing checks it. Products and sums may be fused into one instruction.

Python itself cannot call any of this; what is written here exists for numba only.
"""

import contextlib
import hashlib
import operator
from collections.abc import Callable
from pathlib import Path
from typing import Any

from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.core.datamodel import models
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, register_model

LANES_EACH = 5
"""Dimensions of payoffs that are not the same in every lane."""

CHAINS = 3
"""A product with one vector is gathered in so many sums, which a processor can work on at the same time."""

FUSED = ("contract", "nsz")
"""What LLVM may do to sums and products: fuse them, and forget about the sign of zero."""

KEPT = True
"""Whether compiled code is kept for the next process."""


def digest_of(folder: Path) -> str:
    """Return a digest of all that is compiled together: the kernels, and how arrays are laid out for them.

    Parameters
    ----------
    folder
        `solver`, or a copy of it.
    """
    found = hashlib.sha256()
    for path in [*sorted(folder.glob("kernels/*.py")), folder / "trees" / "column_layout.py"]:
        found.update(path.read_bytes())
    return found.hexdigest()


SOURCES = digest_of(Path(__file__).parent.parent)
"""Kernels import kernels: code that was kept is of these sources, all of them, or it is compiled again."""


def compiled(function: Callable[..., Any]) -> Any:
    """Compile at the first call, without keeping the code where there is no directory to keep it in."""
    global KEPT
    try:
        dispatcher: Any = njit(cache=True, error_model="numpy", nogil=True)(function)
    except RuntimeError:  # numba: "cannot cache function: no locator available"
        KEPT = False
        return njit(error_model="numpy", nogil=True)(function)
    with contextlib.suppress(AttributeError):  # numba compares the file of the function alone, and not what it calls
        kept = dispatcher._cache._cache_file
        kept._source_stamp = (kept._source_stamp, SOURCES)
    return dispatcher


class Lanes(types.Type):
    """The type of a vector of so many float32 or float64."""

    def __init__(self, dtype: Any, count: int) -> None:
        self.dtype, self.count = dtype, count
        super().__init__(name=f"Lanes({dtype}, {count})")

    @property
    def bytes(self) -> int:
        """How large one number is."""
        return int(self.dtype.bitwidth) // 8

    @property
    def number(self) -> ir.Type:
        """What one number is to LLVM."""
        return ir.FloatType() if self.dtype == types.float32 else ir.DoubleType()

    @property
    def vector(self) -> ir.VectorType:
        """What the vector is."""
        return ir.VectorType(self.number, self.count)

    def constant(self, number: float) -> ir.Constant:
        """Return a vector with a known number in every lane."""
        return ir.Constant(self.vector, [number] * self.count)

    def filled(self, builder: ir.IRBuilder, number: ir.Value) -> ir.Value:
        """Return a vector with the same number in every lane."""
        nothing = ir.Constant(self.vector, ir.Undefined)
        first = builder.insert_element(nothing, number, ir.Constant(ir.IntType(32), 0))
        everywhere = ir.Constant(ir.VectorType(ir.IntType(32), self.count), [0] * self.count)
        return builder.shuffle_vector(first, nothing, everywhere)

    def load(self, builder: ir.IRBuilder, data: ir.Value, place: ir.Value) -> ir.Value:
        """Load a vector from a place of an array's data."""
        pointer = builder.bitcast(builder.gep(data, [place]), self.vector.as_pointer())
        return builder.load(pointer, align=self.bytes)

    def store(self, builder: ir.IRBuilder, data: ir.Value, place: ir.Value, value: ir.Value) -> None:
        """Store a vector to a place of an array's data."""
        builder.store(value, builder.bitcast(builder.gep(data, [place]), self.vector.as_pointer()), align=self.bytes)


@register_model(Lanes)
class _Model(models.PrimitiveModel):
    def __init__(self, manager: Any, lanes: Lanes) -> None:
        super().__init__(manager, lanes, lanes.vector)


def _data(context: Any, builder: ir.IRBuilder, array_type: Any, array: ir.Value) -> ir.Value:
    return context.make_array(array_type)(context, builder, array).data


@intrinsic
def lanes(context, array, places):
    """Return zeros of an array's type, as many as the tuple `places` is long."""
    found = Lanes(array.dtype, len(places))
    return found(array, places), lambda context, builder, sig, args: found.constant(0.0)


@intrinsic
def load(context, array, place, zero):
    """Return what stands at a place of an array, in the type of `zero`."""
    stored = Lanes(array.dtype, zero.count)

    def generate(context, builder, sig, args):
        value = stored.load(builder, _data(context, builder, sig.args[0], args[0]), args[1])
        return value if stored == zero else builder.fpext(value, zero.vector)

    return zero(array, types.intp, zero), generate


@intrinsic
def store(context, array, place, value):
    """Overwrite what stands at a place of an array of the vector's own type."""

    def generate(context, builder, sig, args):
        value.store(builder, _data(context, builder, sig.args[0], args[0]), args[1], args[2])
        return context.get_dummy_value()

    return types.void(array, types.intp, value), generate


@intrinsic
def multiply(context, matrix, first, source, source_place, source_step, sink, sink_place, sink_step, size, added, zero):
    """Multiply a matrix with a column of vectors, lane by lane, into another column of vectors.

    `added` is a tuple of one where the products are added to what is there, and an empty one where not.

    The matrix is square, as large as the tuple `size` is long, and stands in `matrix` from `first` on: for each
    number of the source what it adds to every number of the sink. Where the last of five dimensions of `matrix`
    is the lanes, each lane has a matrix of its own.
    """
    number, count, adds = zero, len(size), len(added) > 0

    def generate(context, builder, sig, args):
        data, come, go = (_data(context, builder, sig.args[place], args[place]) for place in (0, 2, 5))
        first, come_at, come_step, go_at, go_step = (args[place] for place in (1, 3, 4, 6, 7))

        def at(start, step, index):
            return builder.add(start, builder.mul(step, index))

        def whole(value):
            return ir.Constant(ir.IntType(64), value)

        def plus(sum_before, index, factor):
            if matrix.ndim == LANES_EACH:
                entry = number.load(builder, data, builder.add(first, builder.mul(index, whole(number.count))))
            else:
                entry = number.filled(builder, builder.load(builder.gep(data, [builder.add(first, index)])))
            return builder.fadd(sum_before, builder.fmul(entry, factor, flags=FUSED), flags=FUSED)

        places = [at(go_at, go_step, whole(x)) for x in range(count)]
        sums = [number.load(builder, go, place) if adds else number.constant(0.0) for place in places]
        slots = [cgutils.alloca_once_value(builder, value) for value in sums]
        with cgutils.for_range(builder, whole(count)) as loop:
            factor = number.load(builder, come, at(come_at, come_step, loop.index))
            for x, slot in enumerate(slots):
                index = builder.add(builder.mul(loop.index, whole(count)), whole(x))
                builder.store(plus(builder.load(slot), index, factor), slot)
        sums = [builder.load(slot) for slot in slots]
        for place, value in zip(places, sums, strict=True):
            number.store(builder, go, place, value)
        return context.get_dummy_value()

    integer = types.intp
    return types.void(matrix, integer, source, integer, integer, sink, integer, integer, size, added, zero), generate


@intrinsic
def times(context, source, place, matrix, first, zero):
    """Return the numbers from a place on times a square matrix, whose rows stand in `matrix` from `first` on."""

    def generate(context, builder, sig, args):
        left, right = (_data(context, builder, sig.args[place], args[place]) for place in (0, 2))
        sums = [zero.constant(0.0)] * CHAINS
        for y in range(zero.count):
            index = ir.Constant(ir.IntType(64), y)
            factor = zero.filled(builder, builder.load(builder.gep(left, [builder.add(args[1], index)])))
            row = builder.add(args[3], ir.Constant(ir.IntType(64), y * zero.count))
            product = builder.fmul(factor, zero.load(builder, right, row), flags=FUSED)
            sums[y % CHAINS] = builder.fadd(sums[y % CHAINS], product, flags=FUSED)
        found = sums[0]
        for one in sums[1:]:
            found = builder.fadd(found, one, flags=FUSED)
        return found

    return zero(source, types.intp, matrix, types.intp, zero), generate


@intrinsic
def everywhere(context, number, zero):
    """Return the same number in every lane."""

    def generate(context, builder, sig, args):
        return zero.filled(builder, context.cast(builder, args[0], sig.args[0], zero.dtype))

    return zero(number, zero), generate


@intrinsic
def added(context, value):
    """Return the sum of all lanes, gathered lane by lane."""

    def generate(context, builder, sig, args):
        found = builder.extract_element(args[0], ir.Constant(ir.IntType(32), 0))
        for lane in range(1, value.count):
            other = builder.extract_element(args[0], ir.Constant(ir.IntType(32), lane))
            found = builder.fadd(found, other, flags=FUSED)
        return found

    return value.dtype(value), generate


@intrinsic
def smallest(context, zero):
    """Return, in every lane, a number far below all that matters and yet far from denormal ones."""
    number = 1e-30 if zero.dtype == types.float32 else 1e-150
    return zero(zero), lambda context, builder, sig, args: zero.constant(number)


@intrinsic
def where_above(context, tested, limit, yes, no):
    """Return, lane by lane, `yes` where `tested` is above `limit` and `no` elsewhere."""

    def generate(context, builder, sig, args):
        return builder.select(builder.fcmp_ordered(">", args[0], args[1]), args[2], args[3])

    return tested(tested, tested, tested, tested), generate


@intrinsic
def arrive(context, counters, place):
    """Add 1 to a counter (int64) that other threads add to as well, and return what it comes to."""
    one = ir.Constant(ir.IntType(64), 1)

    def generate(context, builder, sig, args):
        pointer = builder.gep(_data(context, builder, sig.args[0], args[0]), [args[1]])
        return builder.add(builder.atomic_rmw("add", pointer, one, "acq_rel"), one)

    return types.int64(counters, types.intp), generate


@intrinsic
def claim(context, counters, place, number):
    """Add 1 to a counter (int64) if it stands at a number; return whether it did, which it does for one thread only."""

    def generate(context, builder, sig, args):
        pointer = builder.gep(_data(context, builder, sig.args[0], args[0]), [args[1]])
        after = builder.add(args[2], ir.Constant(ir.IntType(64), 1))
        return builder.extract_value(builder.cmpxchg(pointer, args[2], after, "acq_rel", "acquire"), 1)

    return types.boolean(counters, types.intp, types.int64), generate


@intrinsic
def read(context, counters, place):
    """Return a counter (int64) as other threads have left it, with all that they wrote before."""

    def generate(context, builder, sig, args):
        pointer = builder.gep(_data(context, builder, sig.args[0], args[0]), [args[1]])
        return builder.load_atomic(pointer, "acquire", 8)

    return types.int64(counters, types.intp), generate


def _define(operation: Callable[[Any, Any], Any], instruction: str) -> None:
    """Let compiled functions write an operation between two vectors as Python does."""

    @infer_global(operation)
    class _Typing(AbstractTemplate):
        def generic(self, args: Any, keywords: Any) -> Any:
            if len(args) == 2 and isinstance(args[0], Lanes) and args[0] == args[1]:
                return signature(args[0], *args)
            return None

    @lower_builtin(operation, Lanes, Lanes)
    def _(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> ir.Value:
        return getattr(builder, instruction)(*args, flags=FUSED)


for _operation, _instruction in (
    (operator.add, "fadd"),
    (operator.sub, "fsub"),
    (operator.mul, "fmul"),
    (operator.truediv, "fdiv"),
):
    _define(_operation, _instruction)
