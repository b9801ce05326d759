# SPDX-License-Identifier: Apache-2.0
"""Which names of NumPy are what: types and constants to take over, functions that belong to the host.

Everything that is in none of these lists and not in the table of native functions is passed through to
NumPy and counted (`skald.__getattr__`).
"""

TYPES = """bool bool_ byte bytes_ cdouble character clongdouble complex128 complex64 complexfloating csingle datetime64 double
    dtype finfo flexible float16 float32 float64 floating generic half iinfo inexact int16 int32 int64 int8 int_ intc
    integer intp long longdouble longlong number object_ short signedinteger single str_ timedelta64 ubyte uint uint16 uint32 uint64
    uint8 uintc uintp ulong ulonglong unsignedinteger ushort void nditer ndenumerate ndindex broadcast flatiter memmap
    matrix poly1d recarray record busdaycalendar vectorize""".split()

CONSTANTS = "e euler_gamma inf nan newaxis pi little_endian sctypeDict typecodes False_ True_ index_exp s_".split()

MODULES = "char core ctypeslib dtypes emath exceptions lib ma polynomial rec strings typing".split()

# Types, files, texts: nothing here was ever the business of a device.
HOST = """array2string array_repr array_str base_repr binary_repr bmat busday_count busday_offset can_cast common_type datetime_as_string
    datetime_data fromfile fromiter frompyfunc fromregex fromstring genfromtxt get_printoptions getbufsize geterr geterrcall info
    is_busday isdtype isfortran isscalar issubdtype iterable load loadtxt min_scalar_type mintypecode mask_indices may_share_memory
    printoptions promote_types require save savetxt savez savez_compressed set_printoptions setbufsize seterrcall shares_memory show_config
    show_runtime triu_indices tril_indices triu_indices_from tril_indices_from diag_indices diag_indices_from typename unravel_index get_include
    asmatrix asfortranarray asarray_chkfinite iscomplexobj isrealobj broadcast_shapes format_float_positional format_float_scientific
    nested_iters ndim shape size test block packbits unpackbits""".split()
