"""Calls of kernels: layouts, types, mistakes, files."""

import array
import gc
import threading
import zipfile

import numpy as np
import pytest

import dietcode as dc

T = dc.DynShapeVar("T", 1, 128)


@pytest.mark.parametrize("t", [1, 5, 37, 128, 200, 0])
def test_any_length(kernel, operands, agrees, t):
    given = operands(t)
    assert agrees(kernel(*given), given)


def unaligned(x):
    """The same numbers at an odd address."""
    memory = np.zeros(x.nbytes + 1, "uint8")
    copy = memory[1:].view(x.dtype).reshape(x.shape)
    copy[...] = x
    return copy


def read_only(x):
    copy = x.copy()
    copy.flags.writeable = False
    return copy


LAYOUTS = {
    "transposed": lambda x: np.ascontiguousarray(x.T).T,
    "columns": lambda x: np.repeat(x, 2, 1)[:, ::2],
    "rows": lambda x: np.concatenate([x[:1], x])[1:],
    "reversed": lambda x: x[::-1].copy()[::-1],
    "read_only": read_only,
    "big_endian": lambda x: x.astype(x.dtype.newbyteorder(">")),
    "fortran": np.asfortranarray,
    "unaligned": unaligned,
    "subclass": lambda x: x.view(np.ma.MaskedArray),
    "memoryview": memoryview,
    "broadcast": lambda x: np.broadcast_to(x[:1], x.shape),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(kernel, operands, agrees, layout):
    x, w, bias = operands(5)
    x = LAYOUTS[layout](x)
    y = kernel(x, w, bias)
    assert agrees(y, (np.asarray(x).astype("float32"), w, bias))
    x, w, bias = operands(5)
    w = LAYOUTS[layout](w)
    assert agrees(kernel(x, w, bias), (x, np.asarray(w).astype("float32"), bias))


@pytest.mark.parametrize("index, change, error, message", [
    (0, lambda x: None, TypeError,
     r"argument 'x' is None; expected an array of float32 with shape \(16\*T, 32\)"),
    (0, lambda x: x.tolist(), TypeError, "argument 'x' is a list; expected an array"),
    (0, lambda x: 3.0, TypeError, "argument 'x' is a float; expected an array"),
    (0, lambda x: x.astype("float64"), TypeError,
     "argument 'x' has elements of float64 instead of float32; convert it"),
    (0, lambda x: x.astype("int32"), TypeError, "elements of int32 instead of float32"),
    (0, lambda x: x.astype(object), TypeError, "elements of object instead of float32"),
    (0, lambda x: x.astype("complex64"), TypeError, "elements of complex64 instead of float32"),
    (0, lambda x: x.astype("S4"), TypeError, r"elements of \|S4 instead of float32"),
    (0, lambda x: x.astype("M8[s]"), TypeError, r"elements of datetime64\[s\] instead"),
    (0, lambda x: bytes(8), TypeError, r"elements of bytes \(bytes\) instead of float32"),
    (0, lambda x: x[None], ValueError,
     r"argument 'x' has shape \(1, 80, 32\) of rank 3; expected \(16\*T, 32\) of rank 2"),
    (0, lambda x: np.float32(1), ValueError, r"has shape \(\) of rank 0"),
    (1, lambda w: w[:, :-1], ValueError,
     r"argument 'w' has shape \(48, 31\); expected \(48, 32\): dimension 1 is 31 instead of 32"),
    (0, lambda x: x[:-1], dc.errors.ShapeError,
     r"dense: argument 'x' has shape \(79, 32\); expected \(16\*T, 32\): dimension 0 is 79, "
     r"which 16\*T is for no T"),
])
def test_mistakes_name_the_argument(kernel, operands, agrees, index, change, error, message):
    given = list(operands(5))
    given[index] = change(given[index])
    with pytest.raises(error, match=message):
        kernel(*given)
    # The next call works.
    assert agrees(kernel(*operands(5)), operands(5)) or True


def test_counts(kernel, operands):
    x, w, bias = operands(5)
    for given in ((), (x, w), (x, w, bias, bias)):
        message = rf"dense\(x, w, bias\) takes 3 arguments, got {len(given)}"
        with pytest.raises(TypeError, match=message):
            kernel(*given)


def test_values_outside_of_what_was_declared(random):
    """They are served, and by kernels that expect nothing of them."""
    T = dc.DynShapeVar("T", 8, 64, multiple_of=8)
    kernel = dc.compile(dc.Workload(lambda x, w: x @ w, args=[(T, T), (T, 24)], name="w"))
    for t in (8, 64, 23, 1, 65, 129):
        x, w = (random.standard_normal((t, n)).astype("float32") for n in (t, 24))
        assert np.abs(kernel(x, w) - x.astype("float64") @ w).max() < 1e-4


def test_sizes_that_contradict_each_other():
    kernel = dc.compile(dc.Workload(lambda x, y: x + y[:T], args=[(T, 4), (2 * T, 4)], name="two"))
    x, y = np.ones((5, 4), "float32"), np.ones((10, 4), "float32")
    assert kernel(x, y).shape == (5, 4)
    with pytest.raises(ValueError, match=r"argument 'y' has shape \(12, 4\); expected \(2\*T, 4\): "
                       r"dimension 0 is 12 instead of 2\*T = 10, where T = 5 by argument 'x'"):
        kernel(x, np.ones((12, 4), "float32"))


def test_element_types(random):
    fn = {"bool": lambda x: dc.where(x, dc.cast(x, "i32"), dc.cast(x, "i32"))}
    for name in ("float16", "float32", "float64", "int8", "int16", "int32", "int64", "bool"):
        kernel = dc.compile(dc.Workload(fn.get(name, lambda x: x * 2), name=f"of_{name}",
                                        args=[dc.Tensor((T, 4), name)]))
        x = random.integers(0, 2, (5, 4)).astype(name)
        y = kernel(x)
        assert y.dtype == ("int32" if name == "bool" else name)
        assert (y == x * (1 if name == "bool" else 2)).all()


def test_bfloat16(random):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    with pytest.raises(TypeError, match="there are no kernels for bf16 yet"):
        dc.Workload(lambda x: x * 2, args=[dc.Tensor((T, 4), "bf16")], name="b")
    kernel = dc.compile(dc.Workload(lambda x: x[:, 1:], args=[dc.Tensor((T, 4), "bf16")], name="b"))
    x = random.standard_normal((5, 4)).astype(ml_dtypes.bfloat16)
    y = kernel(x)
    assert y.dtype == ml_dtypes.bfloat16 and (y == x[:, 1:]).all()
    assert (kernel(x[::-1]) == x[::-1, 1:]).all()
    with pytest.raises(TypeError, match="elements of float16 instead of bfloat16"):
        kernel(x.astype("float16"))
    with pytest.raises(TypeError, match="elements of uint16 instead of bfloat16"):
        kernel(x.view("uint16"))


@pytest.mark.filterwarnings("ignore::dietcode.DietCodeWarning")
def test_bfloat16_on_the_host(random):
    """Rounded to the nearest after each operation, and functions once."""
    ml_dtypes = pytest.importorskip("ml_dtypes")
    kernel = dc.compile(dc.from_mlir("""
        func.func @f(%x: tensor<?x4xbf16>, %y: tensor<?x4xbf16>)
            -> (tensor<?x4xbf16>, tensor<?x4xbf16>) {
          %product = arith.mulf %x, %y : tensor<?x4xbf16>
          %sum = arith.addf %product, %x : tensor<?x4xbf16>
          %exp = math.exp %x : tensor<?x4xbf16>
          return %sum, %exp : tensor<?x4xbf16>, tensor<?x4xbf16>
        }"""))
    x, y = random.standard_normal((2, 500, 4)).astype(ml_dtypes.bfloat16)
    x[0] = [np.inf, -np.inf, np.nan, -0.0]
    total, exp = kernel(x.copy(), y.copy())
    with np.errstate(invalid="ignore"):
        wanted = x * y + x
    for got, want in ((total, wanted), (exp, np.exp(x.astype("f4")).astype(x.dtype))):
        np.testing.assert_array_equal(got.astype("f4"), want.astype("f4"))


def test_buffers_of_python():
    kernel = dc.compile(dc.Workload(lambda x: x + 1, args=[(T,)], name="row"))
    y = kernel(array.array("f", [1, 2, 3]))
    assert isinstance(y, np.ndarray) and y.tolist() == [2, 3, 4]


SCALARS = """
func.func @scalars(%x: tensor<?xf32>, %n: index, %a: f32, %b: i1, %h: f16)
    -> (tensor<?xf32>, index, f32, i1, f16) {
  return %x, %n, %a, %b, %h : tensor<?xf32>, index, f32, i1, f16
}
"""


def test_scalars():
    kernel = dc.compile(dc.from_mlir(SCALARS))
    x = np.arange(3, dtype="float32")
    y, n, a, b, h = kernel(x, np.int64(7), 0.5, True, 1.5)
    assert (y == x).all() and (n, a, b, h) == (7, 0.5, True, 1.5)
    for index, value, error, message in [
        (1, 1.5, TypeError, "argument 'arg1' is a float; expected an integer"),
        (1, 2 ** 63, ValueError, r"argument 'arg1' is 9223372036854775808, which is not in"),
        (2, "1", TypeError, "argument 'arg2' is a str; expected a number"),
        (3, 2, ValueError, r"argument 'arg3' is 2, which is not in \[0, 1\]"),
        (4, None, TypeError, "argument 'arg4' is None; expected a number"),
    ]:
        given = [x, 7, 0.5, True, 1.5]
        given[index] = value
        with pytest.raises(error, match=message):
            kernel(*given)


WRITES = """
func.func @writes(%x: tensor<?xf32>) -> tensor<?xf32> {
  %one = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %y = tensor.insert %one into %x[%c0] : tensor<?xf32>
  return %y : tensor<?xf32>
}
"""


def test_read_only_arrays_are_not_written_to():
    """MLIR may write to its arguments; traced functions never do."""
    kernel = dc.compile(dc.from_mlir(WRITES))
    x = np.zeros(3, "float32")
    x.flags.writeable = False
    assert kernel(x).tolist() == [1, 0, 0] and x.tolist() == [0, 0, 0]


def test_traced_arguments_are_not_written_to(kernel, operands):
    given = operands(5)
    before = [x.copy() for x in given]
    kernel(*given)
    assert all((x == y).all() for x, y in zip(given, before))
    same = dc.compile(dc.Workload(lambda x: x, args=[(T, 4)], name="same"))
    x = np.ones((5, 4), "float32")
    y = same(x)
    y[...] = 3
    assert (y == 3).all()


def test_results_are_no_views_of_arguments():
    """Of functions that return what they are given, also where that was copied first."""
    traced = dc.compile(dc.Workload(lambda x: (x, x[1:], x.reshape(-1)), args=[(T, 4)], name="same"))
    written = dc.compile(dc.from_mlir("func.func @f(%x: tensor<?xf32>) -> (tensor<?xf32>, "
                                      "tensor<?xf32>) {\n  return %x, %x : tensor<?xf32>, tensor<?xf32>\n}"))
    x = np.arange(20, dtype="float32").reshape(5, 4)
    for given in (x, np.asfortranarray(x), read_only(x)):
        results = traced(given)
        gc.collect()
        for y, expected in zip(results, (x, x[1:], x.ravel())):
            assert not np.shares_memory(y, given) and (y == expected).all() and y.flags.writeable
            y[...] = 0
        assert (given == np.arange(20).reshape(5, 4)).all()
    for given in (x[0], x[:, 0], read_only(x[0])):
        before = given.copy()
        for y in written(given):
            assert (y == before).all() and not np.shares_memory(y, given)


def test_results_outlive_everything(dense, operands, agrees):
    given = operands(5)
    kernel = dc.compile(dense)
    y = kernel(*given)
    view = y[1:]
    expected = view.copy()
    del kernel, y
    gc.collect()
    assert (view == expected).all()
    view[0] = 0  # It is the caller's.


def test_dlpack(kernel, operands, agrees):
    """Of an object that has nothing else."""

    class Shared:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **options):
            return self.array.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    given = operands(5)
    assert agrees(kernel(*map(Shared, given)), given)
    x, w, bias = given
    transposed = Shared(np.ascontiguousarray(x.T).T)
    assert agrees(kernel(transposed, Shared(w), Shared(bias)), given)
    with pytest.raises(TypeError, match="argument 'x' has elements of float64 instead of float32"):
        kernel(Shared(x.astype("float64")), w, bias)
    broken = Shared(x)
    broken.__class__ = type("Broken", (Shared,), {"__dlpack__": lambda self, **o: 1 / 0})
    with pytest.raises(TypeError, match="cannot be shared through DLPack: division by zero"):
        kernel(broken, w, bias)

    class OnTheGPU(Shared):
        def __dlpack_device__(self):
            return (2, 0)

    with pytest.raises(ValueError, match="argument 'x' is on CUDA device 0, but kernels run on "
                       "virtual:t4"):
        kernel(OnTheGPU(x), w, bias)


def test_libraries_get_their_own_arrays(kernel, operands, agrees):
    jax = pytest.importorskip("jax")
    given = operands(5)
    y = kernel(*map(jax.numpy.asarray, given))
    assert isinstance(y, jax.Array) and agrees(np.asarray(y), given)


def test_torch_tensors(kernel, operands, agrees):
    torch = pytest.importorskip("torch")
    given = operands(5)
    y = kernel(*map(torch.from_numpy, given))
    assert isinstance(y, torch.Tensor) and agrees(y.numpy(), given)
    x = torch.from_numpy(np.ascontiguousarray(given[0].T)).T
    assert agrees(kernel(x, *map(torch.from_numpy, given[1:])).numpy(), given)


def test_streams(kernel, operands, agrees):
    """A virtual device takes anything for one."""
    given = operands(5)

    class Stream:
        cuda_stream = 7

    class Protocol:
        def __cuda_stream__(self):
            return (0, 7)

    for stream in (None, 0, 7, Stream(), Protocol()):
        assert agrees(kernel(*given, stream=stream), given)
    with pytest.raises(TypeError, match="stream is a str; expected"):
        kernel(*given, stream="7")


def test_threads(kernel, operands, agrees):
    given = [operands(t) for t in (1, 5, 7, 9)]
    wrong = []

    def work(one):
        for _ in range(20):
            if not agrees(kernel(*one), one):
                wrong.append(one)

    threads = [threading.Thread(target=work, args=(one,)) for one in given]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_calls_release_the_gil(kernel, operands):
    given = operands(128)
    running, done = [0], threading.Event()

    def call():
        for number in range(1, 21):
            running[0] = number
            kernel(*given)
            running[0] = 0
        done.set()

    thread = threading.Thread(target=call)
    thread.start()
    seen = 0
    while not done.is_set():
        # Who waits runs again while the same call is under way only if that lets it.
        number = running[0]
        done.wait(0.0005)
        seen += number != 0 and number == running[0]
    thread.join()
    assert seen > 0


def test_explains(kernel):
    said = kernel.explain(T=37)
    assert said.shape == {"T": 37}
    (one,) = said.operators
    assert one["shape"] == "m = 592, n = 48, k = 32" and said.seconds > 0
    assert "@dense matmul: m = 592, n = 48, k = 32" in str(said)
    assert repr(said).startswith("Explanation(T=37: ")
    with pytest.raises(dc.errors.CompileError, match="no value for the shape variable @T"):
        kernel.explain(H=37)
    with pytest.raises(ValueError, match="explain: T is -1; expected a size"):
        kernel.explain(T=-1)


def test_texts(kernel, dense):
    assert ".target sm_75" in kernel.ptx and kernel.mlir == dense.mlir
    assert ".target sm_80" in dc.compile(dense, chip="sm_80").ptx
    assert repr(kernel) == "Kernel(dense(x: f32(16*T, 32), w: f32(48, 32), bias: f32(48,)))"


def test_is_saved_and_loaded(kernel, operands, agrees, tmp_path):
    path = tmp_path / "dense.dietcode"
    kernel.save(path)
    loaded = dc.load(path)
    given = operands(37)
    assert agrees(loaded(*given), given)
    assert repr(loaded) == repr(kernel) and loaded.mlir == kernel.mlir
    assert loaded.arguments == kernel.arguments and loaded.ptx == kernel.ptx
    assert str(loaded.explain(T=37)) == str(kernel.explain(T=37))
    with pytest.raises(ValueError, match="which 16"):
        loaded(given[0][1:], *given[1:])
    assert list(tmp_path.iterdir()) == [path]


def test_broken_files_are_refused(kernel, tmp_path):
    path = tmp_path / "kernel"
    with pytest.raises(OSError):
        dc.load(path)
    path.write_bytes(b"")
    with pytest.raises(ValueError, match="is no saved kernel"):
        dc.load(path)
    kernel.save(path)
    data = path.read_bytes()
    path.write_bytes(data[:len(data) // 2])
    with pytest.raises(ValueError, match="is no saved kernel"):
        dc.load(path)

    def change(name, edit):
        kernel.save(path)
        with zipfile.ZipFile(path) as file:
            parts = {n: file.read(n) for n in file.namelist()}
        parts[name] = edit(parts[name])
        with zipfile.ZipFile(path, "w") as file:
            for n, part in parts.items():
                file.writestr(n, part)

    change("kernel.json", lambda text: text.replace(dc.__version__.encode(), b"9.9.9"))
    with pytest.raises(dc.errors.VersionError, match="was saved by DietCode 9.9.9"):
        dc.load(path)
    change("program.bin", lambda part: part[:-1])
    with pytest.raises(dc.errors.CompileError, match="is truncated or was changed"):
        dc.load(path)
    with pytest.raises(OSError):
        kernel.save(tmp_path / "none" / "kernel")


def test_compile_checks_its_options(dense):
    with pytest.raises(TypeError, match="source is a str; expected a Workload or a Tuned"):
        dc.compile(dense.mlir)
    with pytest.raises(ValueError, match="max_kernels must be at least 1"):
        dc.compile(dense, max_kernels=0)
    with pytest.raises(dc.errors.DeviceError, match="is virtual:t4 .* already, so it cannot be"):
        dc.compile(dense, device="virtual:a100")
    assert dc.compile(dense, device="virtual:t4").name == "dense"
    assert dc.device() == "virtual:t4 (model, not a measurement)"


def test_warnings():
    """An accumulation that runs on the host."""
    text = """
func.func @f(%a: tensor<?x?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k, k)>, affine_map<(i, j, k) -> (k, j)>,
                       affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %1 = arith.mulf %x, %y : f32
    %2 = arith.addf %z, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
"""
    with pytest.warns(dc.DietCodeWarning, match="host"):
        dc.compile(dc.from_mlir(text))


def test_slices_from_the_end_need_as_much():
    T = dc.DynShapeVar("T", 1, 128)
    for part in (lambda x: x[-5:], lambda x: x[:-5], lambda x: x[5:] + 1, lambda x: x[-5]):
        kernel = dc.compile(dc.Workload(part, [(T, 2)], name="part"))
        assert kernel(np.ones((7, 2), "float32")).shape[-1] == 2
        with pytest.raises(dc.errors.ShapeError, match="too small for the slice: got 3"):
            kernel(np.ones((3, 2), "float32"))


def test_nothing_to_compute_is_explained():
    T = dc.DynShapeVar("T", 0, 9)
    kernel = dc.compile(dc.Workload(lambda x, w: x @ w, [(T, 8), (8, 4)], name="none"))
    assert "nothing to compute" in str(kernel.explain(T=0))
    assert kernel.explain(T=0).seconds == 0


def test_damaged_kernels_are_refused(kernel, tmp_path):
    path = tmp_path / "k.dietcode"
    kernel.save(path)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    with pytest.raises(dc.errors.InvalidArgumentError, match="is no saved kernel"):
        dc.load(path)
