# SPDX-License-Identifier: Apache-2.0
"""The functions of the namespace against NumPy's: value by value, dtype by dtype, and exceptions too."""

import numpy
import pytest

import skald
from random_programs import difference

def names(np):
    """What expressions may use: floats, integers, floats with NaN, complex numbers."""
    return {"np": np, "A": np.arange(12.0).reshape(3, 4), "I": np.arange(-4, 8).reshape(3, 4),
            "N": np.array([[1.0, np.nan, 3.0], [np.nan, np.nan, 6.0], [2.0, 5.0, -1.0]]), "C": np.arange(6.0) + 1j * np.arange(6.0)[::-1]}


# One expression per word.
EXPRESSIONS = """
np.mean(A) np.mean(A,0) np.mean(I,axis=(0,1)) np.mean(A,1,keepdims=True) np.mean(I,dtype=np.float32) np.mean(C)
np.var(A) np.var(I,axis=1,ddof=1) np.std(A,axis=0,keepdims=True) np.var(C) np.mean(A,where=A>3)
np.mean(np.arange(5,dtype=np.float16)) np.var(np.arange(5,dtype=np.float16)) np.std(np.arange(5,dtype=np.float32))
np.average(A,axis=0,weights=[1,2,3]) np.average(A,axis=1,weights=[1,2,3,4],returned=True) np.average(I)
np.nansum(N) np.nansum(N,axis=0) np.nanprod(N,1) np.nanmin(N,axis=0) np.nanmax(N) np.nanmean(N,0) np.nanstd(N,axis=1) np.nanvar(N,ddof=1)
np.nancumsum(N) np.nancumprod(N,axis=0) np.nanargmax(N,axis=0) np.nanargmin(N,axis=1) np.nanmedian(N,axis=0) np.nanpercentile(N,30)
np.cumsum(A) np.cumsum(I,1) np.cumprod(np.arange(1,5,dtype=np.int8)) np.cumulative_sum(A,axis=0) np.cumulative_sum(np.arange(3),include_initial=True)
np.ptp(A) np.ptp(I,axis=1) np.count_nonzero(I) np.count_nonzero(I,axis=0) np.argmax(I) np.argmin(A,axis=1) np.argmax(A,0,keepdims=True)
np.cov(A) np.cov(A,rowvar=False) np.corrcoef(I) np.cov(A,bias=True) np.median(A,0) np.percentile(A,[20,50]) np.quantile(A,0.3,axis=1)
np.roll(A,1) np.roll(A,-5) np.roll(A,(1,2),axis=(0,1)) np.roll(A,1,axis=1) np.tile(I,2) np.tile(I,(2,1,2)) np.repeat(I,2) np.repeat(I,[1,0,2],axis=0)
np.pad(A,1) np.pad(A,((1,2),(0,3)),constant_values=7) np.pad(A,2,mode='edge') np.pad(A,2,mode='wrap') np.pad(A,1,mode='reflect') np.pad(A,2,mode='symmetric') np.pad(A,1,mode='linear_ramp')
np.pad(I,((1,0),(2,1)),constant_values=((1,2),(3,4))) np.resize(I,(2,9)) np.append(I,[[1,2,3,4]],axis=0) np.append(I,5) np.insert(I,1,9,axis=0) np.delete(I,1,1)
np.concatenate((A,I)) np.concatenate((A,I),axis=1) np.concatenate((A,I),axis=None) np.stack((A,I),axis=2) np.vstack((A,I)) np.hstack((A,I)) np.dstack((A,I))
np.column_stack((np.arange(3),np.arange(3.0))) np.block([[A,I],[I,A]]) np.split(A,2,axis=1) np.array_split(A,3,axis=1) np.hsplit(A,2) np.vsplit(A,3) np.unstack(A)
np.flip(A) np.flip(A,0) np.fliplr(A) np.flipud(A) np.rot90(A) np.rot90(A,3) np.rot90(A,2) np.moveaxis(np.zeros((2,3,4)),0,-1) np.rollaxis(np.zeros((2,3,4)),2)
np.swapaxes(A,0,1) np.expand_dims(A,(0,2)) np.squeeze(np.zeros((1,3,1))) np.atleast_1d(3) np.atleast_2d(np.arange(3)) np.atleast_3d(np.arange(3)) np.atleast_3d(A)
np.broadcast_to(np.arange(4),(3,4)) np.broadcast_arrays(np.arange(4),A) np.transpose(np.zeros((2,3,4)),(1,0,2)) np.matrix_transpose(A) np.ravel(A,order='F') np.reshape(A,(4,3),order='F')
np.diag([1,2,3]) np.diag([1,2],k=1) np.diag([1,2],-2) np.diag(A,1) np.diagflat([[1,2],[3,4]]) np.diagonal(A,-1) np.tri(3,4,1) np.tril(A) np.triu(I,1) np.triu(np.arange(3)) np.trace(A) np.trace(A,1)
np.kron(I,np.eye(2)) np.kron([1,2],[[1],[2]]) np.vander([1,2,3]) np.vander([1.5,2],4,increasing=True) np.eye(3) np.eye(2,4,-1,dtype=int) np.eye(80,90,k=3) np.identity(3)
np.where(I>0,I,0) np.where(I>0,A,I) np.where(I>0) np.where([True,False],1,2.5) np.clip(I,-1,3) np.clip(A,None,2.5) np.clip(I,2,None) np.clip(A,[1,2,3,4],6) np.clip(np.arange(5,dtype=np.uint8),-1,300)
np.round(A/3,2) np.round(A*100,-2) np.round(I) np.round(C/3,1) np.around(2.567,1) np.fix(A-5.5) np.nan_to_num(N) np.nan_to_num([np.inf,-np.inf,np.nan],nan=1,posinf=2,neginf=3) np.nan_to_num(I)
np.isclose(A,A+1e-9) np.isclose([np.nan,np.inf],[np.nan,np.inf]) np.isclose([np.nan],[np.nan],equal_nan=True) np.allclose(A,A) np.array_equal(A,I) np.array_equal(N,N,equal_nan=True) np.array_equiv(A,A)
np.real(C) np.imag(C) np.angle(C) np.angle(C,deg=True) np.angle(A-3) np.conj(C) np.isreal(C) np.iscomplex(C) np.isposinf([np.inf,1]) np.isneginf([-np.inf,1]) np.sinc(A) np.real_if_close(C)
np.diff(A) np.diff(I,n=2) np.diff(I,axis=0,prepend=0) np.diff([True,False,True]) np.diff(I,append=[[1],[2],[3]]) np.ediff1d(I) np.gradient(A) np.gradient(np.arange(5)**2,2.0) np.gradient(A,axis=1)
np.gradient(np.array([1.0,4,9,16]),np.array([0.0,1,3,4])) np.trapezoid(A) np.trapezoid(A,dx=0.5,axis=0) np.trapezoid(np.arange(4.0),np.array([0,1,3,7])) np.cross([1,2,3],[4,5,6]) np.cross(A[:,:3],[1,0,0])
np.select([I<0,I>3],[I,A],7) np.piecewise(np.arange(5.0),[np.arange(5)<2],[1,-1]) np.polyval([1,2,3],A) np.interp([0.5,1.5],[0,1,2],[0,10,20]) np.unwrap([0,7,14]) np.convolve([1,2,3],[0,1]) np.correlate([1,2,3],[0,1])
np.hanning(5) np.hamming(5) np.blackman(5) np.bartlett(5) np.kaiser(5,2) np.hanning(1) np.hanning(0) np.i0(A) np.unique([3,1,1,2]) np.unique([3,1,1],return_counts=True) np.sort(I,axis=0) np.argsort(A[:,::-1]) np.sort([3,1,2])
np.take(A,[0,2],axis=1) np.take(A,[[0,5],[7,11]]) np.take(A,[-1,99],mode='clip') np.take(A,[-1,99],mode='wrap') np.nonzero(I) np.flatnonzero(I) np.argwhere(I>2) np.compress([1,0,1],A,axis=0) np.extract(I>0,I)
np.take_along_axis(I,np.argsort(I,axis=1),axis=1) np.searchsorted([1,2,3],[2.5,0]) np.digitize([0.5,2.5],[1,2,3]) np.bincount([0,1,1,3]) np.bincount([0,1,1],weights=[0.5,1,2]) np.histogram([1,2,2,5],bins=3) np.histogram2d([1,2],[3,4],2)
np.lexsort(([1,2,3],[3,1,2])) np.partition([3,1,2],1) np.isin(I,[1,2]) np.intersect1d([1,2,3],[2,3,4]) np.union1d([1,2],[2,3]) np.setdiff1d([1,2,3],[2]) np.ix_([0,1],[2]) np.ravel_multi_index(([1],[2]),(3,4)) np.unravel_index(5,(3,4))
np.choose([0,1],[[1,2],[3,4]]) np.triu_indices(3) np.tril_indices(3,1) np.packbits([1,0,1]) np.trim_zeros([0,0,1,2,0]) np.apply_along_axis(sum,0,I) np.dot(A,A.T) np.dot([1,2],[3,4]) np.dot(2,A) np.vdot(C,C) np.inner(A,A)
np.outer([1,2],[3.0,4]) np.matmul(A,A.T) A@A.T np.tensordot(A,A,axes=([0,1],[0,1])) np.tensordot(A,A.T,1) np.einsum('ij,kj->ik',A,A) np.einsum('ii',np.eye(3)) np.linalg.norm(A) np.linalg.norm(A,axis=1) np.linalg.norm([3,4],ord=1)
np.linalg.norm(C) np.linalg.inv(np.eye(2)*2) np.linalg.solve(np.eye(2)*2,[1,2]) np.linalg.det(np.eye(3)) np.linalg.svd(A)[1] np.linalg.qr(A)[1].shape np.linalg.eigvalsh(np.eye(2)) np.linalg.matrix_rank(A) np.linalg.lstsq(A,[1,2,3],rcond=None)[0].shape
np.linalg.vector_norm(A,axis=0) np.linalg.cross([1,2,3],[4,5,6]) np.linalg.outer([1,2],[3,4]) np.linalg.trace(A) np.linalg.pinv(A).shape np.linalg.matrix_power(np.eye(2)*2,3) np.linalg.multi_dot([A,A.T,A]) np.fft.fft(np.arange(8.0)) np.fft.irfft(np.fft.rfft(np.arange(8.0)))
np.fft.fft2(A) np.fft.fftshift(np.arange(5)) np.fft.ifftshift(A,axes=1) np.fft.fftfreq(5,0.1) np.fft.rfftfreq(6) np.linspace(0,1,5) np.linspace(0,10,5,endpoint=False) np.linspace(0,1,5,retstep=True) np.linspace(0,1,5001)[-3:] np.linspace(0,9,4,dtype=int)
np.linspace([0,1],[2,3],3) np.logspace(0,2,5) np.geomspace(1,8,4) np.arange(5) np.arange(1,10,2.5) np.arange(10,0,-3) np.arange(3,dtype=np.float32) np.arange(0,9000,2).sum() np.arange(20000)[::-1][:3] np.arange(5000,0,-1)[-2:] np.arange(0) np.full((2,2),1.5) np.full(3,[1,2,3])
np.zeros((2,0)) np.ones(3,dtype=bool) np.zeros_like(I) np.ones_like(I,dtype=float) np.full_like(A,2) np.full_like(I,2.7) np.empty_like(A).shape np.meshgrid([1,2],[3,4,5]) np.meshgrid([1,2],[3,4,5],indexing='ij',sparse=True) np.indices((2,3)) np.indices((2,3),sparse=True) np.fromfunction(np.add,(2,3))
np.mgrid[0:2,0:3] np.ogrid[0:2,0:3] np.r_[1:4,0,[5,6]] np.c_[[1,2],[3,4]] np.array([[1,2],[3,4]],dtype=np.float32) np.array(5) np.array([1,2],ndmin=3) np.asarray([1,2.5]) np.ascontiguousarray(A.T) np.array([True,False]) np.array([1,2],dtype=complex) np.array([]) np.array([A,A])
np.min(A) np.max(I,axis=1) np.amin(A,0) np.sum(I,axis=0,dtype=np.float32) np.sum(A,initial=5) np.prod([2,3]) np.any(I>5) np.all(A>=0,axis=1) np.sum(A,where=A>2) np.max(A,initial=0,where=A<5) np.sum([]) np.prod([]) np.any([]) np.all([])
np.add.reduce(A) np.add.accumulate(I,axis=1) np.multiply.outer([1,2],[3,4]) np.add.reduceat(np.arange(8),[0,4,1,5]) np.maximum.reduce(A,axis=1) np.logical_and.reduce(A) np.subtract.reduce([1,2,3]) np.hypot(3.0,A) np.divmod(I,3) np.modf(A/3) np.frexp(A) np.ldexp(A,2)
np.sqrt(4.0) np.sin(A) np.exp(1) np.power(A,2) np.float_power(I,2) np.maximum(A,5) np.heaviside([-1,0,1],0.5) np.gcd(12,[8,9]) np.left_shift(1,[1,2]) np.invert([1,2]) np.bitwise_count([1,7]) np.copysign(1,[-1,2]) np.nextafter(1.0,2) np.signbit([-1.0,1]) np.logaddexp(1,A)
np.result_type(I,1.5) np.can_cast(np.int64,np.float32) np.promote_types('i4','f4') np.isscalar(3) np.ndim(A) np.shape(A) np.size(A,1) np.iscomplexobj(C) np.issubdtype(np.float64,np.floating) np.finfo(np.float32).eps np.broadcast_shapes((3,1),(4,)) np.copy(A) np.lib.stride_tricks.sliding_window_view(np.arange(5),3)
np.lib.stride_tricks.sliding_window_view(A,(2,2)) np.lib.stride_tricks.sliding_window_view(A[::-1,::2],2,axis=1).sum(-1) np.lib.stride_tricks.sliding_window_view(A,(2,2)).mean(axis=(2,3)) np.lib.stride_tricks.sliding_window_view(A,(2,2),axis=(0,0))
np.choose(np.arange(9000)%3,[1,2.5,np.arange(9000)]) np.choose(np.arange(9000)-4500,[1,2],mode='clip') np.choose(np.arange(-4500,4500),[1,2,3],mode='wrap') np.unwrap(np.linspace(0,50,7)) np.unwrap(A*3,axis=0) np.unwrap(I*5,period=7) np.unwrap(I*5,period=8) np.unwrap([0,3.5,7.2],discont=4)
np.insert(A,1,5) np.insert(A,[1,1,3],[5,6,7]) np.insert(I,1,[9,8,7,6],axis=0) np.insert(I,[1],[[1],[2],[3]],axis=1) np.insert(I,1,[1,2,3],axis=1) np.insert(I,slice(0,2),7,axis=1) np.insert(I,-1,2.7) np.insert(I,[3,0],[[1,2]],axis=1) np.insert(np.zeros((0,2)),0,[1,2],axis=0)
np.delete(A,[1,3]) np.delete(I,slice(0,4,2),axis=1) np.delete(I,-1,0) np.delete(np.arange(5),[True,False,False,True,False])
""".split()

ERRORS = ["np.reshape(np.arange(5), (2, 3))", "np.concatenate(([1], [[2]]))", "np.concatenate([])", "np.stack(([1], [1, 2]))", "np.zeros(3) + np.zeros(4)", "np.zeros((2, 3)) @ np.zeros((2, 3))",
          "np.sum(np.zeros(3), axis=1)", "np.zeros(3)[5]", "np.zeros(3)[1.5]", "np.broadcast_to([1, 2], (3,))", "np.split(np.arange(5), 2)", "np.moveaxis(np.zeros((2, 2)), 0, 5)", "np.diag(np.zeros((2, 2, 2)))",
          "np.argmax([])", "np.max([])", "np.linalg.inv(np.zeros((2, 2)))", "np.dot([1, 2], [1, 2, 3])", "np.roll([1, 2], 1, axis=3)", "np.squeeze(np.zeros((2, 1)), axis=0)", "np.expand_dims(np.zeros(2), 5)",
          "np.where([True], [1])", "np.pad([1, 2], -1)", "np.repeat([1, 2], -1)", "np.zeros(-1)", "np.linspace(0, 1, -2)", "np.take([1, 2], [5])", "np.bincount([-1])", "np.zeros(3, dtype='nonsense')",
          "np.add(1, 2, 3, 4)", "np.clip([1], 1)", "bool(np.zeros(2))", "int(np.zeros(2))", "len(np.array(1))", "np.unstack(np.array(1))", "np.take_along_axis(np.zeros((2, 2)), np.zeros((2, 2)), 1)"]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_same_value(expression):
    expected, found = eval(expression, names(numpy)), eval(expression, names(skald))
    if isinstance(expected, numpy.dtype) or expected is None:
        assert expected == found
    else:
        assert difference("the result", expected, found) is None


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("expression", ERRORS)
def test_same_error(expression):
    with pytest.raises(Exception) as expected:
        eval(expression, names(numpy))
    with pytest.raises(expected.type):
        eval(expression, names(skald))


def test_every_public_name_exists():
    missing = [name for name in numpy.__all__ if not hasattr(skald, name)]
    assert missing == []


def test_every_public_name_of_the_parts_exists():
    for part in ("linalg", "fft", "random", "testing"):
        missing = [name for name in getattr(numpy, part).__all__ if not hasattr(getattr(skald, part), name)]
        assert missing == [], part


def test_native_functions_have_documentation():
    from skald import _native
    assert [name for name, function in _native.table.items() if not function.__doc__] == []


def test_results_are_lazy_arrays():
    for expression in ("np.roll(np.arange(9.0), 1)", "np.mean(np.eye(3), 0)", "np.sort([2, 1])", "np.fft.fft([1.0, 2])", "np.linalg.inv(np.eye(2))", "np.unique([1, 1])"):
        assert type(eval(expression, names(skald))) is skald.ndarray, expression


def test_foreign_dtypes_are_numpy_arrays():
    assert type(skald.array(["a", "b"])) is numpy.ndarray
    assert skald.array([1, None]).dtype == object
    assert skald.concatenate((numpy.array(["a"]), numpy.array(["b"]))).tolist() == ["a", "b"]


def test_stubs_name_every_native_function():
    import ast
    import pathlib
    from skald import _native
    tree = ast.parse((pathlib.Path(skald.__file__).parent / "__init__.pyi").read_text())
    named = {n.name for n in tree.body if isinstance(n, ast.FunctionDef)} | {n.target.id for n in tree.body if isinstance(n, ast.AnnAssign)}
    assert set(_native.table) - named == set()
