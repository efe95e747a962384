"""A kernel's body is annotated with what its specs become; Mosaic GPU does not read the annotations."""

from typing import Literal

from _twins import illegal, legal, silent

import safegpu as mgpu
from safegpu import tcgen05

UNREAD = "nobody reads the annotation, and the body is checked against the wrong types"
GRID = (1, 1, 1)
BLOCK = (128, 1, 1)
F16 = mgpu.GMEM((64, 64), mgpu.float16)
F32 = mgpu.GMEM((64, 64), mgpu.float32)


class S(mgpu.Scratch):
    smem = mgpu.SMEM((64, 64), mgpu.float16)
    barrier = mgpu.Barrier(1)


class T(mgpu.Scratch):
    smem = mgpu.SMEM((64, 64), mgpu.float32)


class Sub(S):
    more = mgpu.SMEM((64, 64), mgpu.float16)


def body(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float32], s: S) -> None: ...


def no_input(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None: ...


def no_output(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], s: S) -> None: ...


def nothing(ctx: mgpu.LaunchContext, s: None) -> None: ...


def two_outputs(
    ctx: mgpu.LaunchContext,
    x: mgpu.GmemRef[mgpu.float16],
    o: mgpu.GmemRef[mgpu.float32],
    p: mgpu.GmemRef[mgpu.float16],
    s: S,
) -> None: ...


def tuple_scratch(
    ctx: mgpu.LaunchContext,
    x: mgpu.GmemRef[mgpu.float16],
    o: mgpu.GmemRef[mgpu.float32],
    s: tuple[mgpu.SmemRef[mgpu.float16], mgpu.BarrierRef],
) -> None: ...


def barrier_scratch(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float32], s: mgpu.BarrierRef
) -> None: ...


def no_scratch(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float32], s: tuple[()]
) -> None: ...


def tmem_scratch(
    ctx: mgpu.LaunchContext,
    x: mgpu.GmemRef[mgpu.float16],
    o: mgpu.GmemRef[mgpu.float32],
    s: tcgen05.DenseTMEM[mgpu.float32],
) -> None: ...


@legal()
def same_references() -> None:
    mgpu.as_gpu_kernel(body, GRID, BLOCK, (F16,), F32, S)


@legal()
def one_input_bare() -> None:
    mgpu.as_gpu_kernel(body, GRID, BLOCK, F16, F32, S)


@legal()
def output_in_a_tuple() -> None:
    mgpu.as_gpu_kernel(body, GRID, BLOCK, (F16,), (F32,), S, cluster=(1, 1, 1), module_name="m", kernel_name="k")


@legal()
def inputs_none() -> None:
    mgpu.as_gpu_kernel(no_input, GRID, BLOCK, (), F32, S)


@legal()
def outputs_none() -> None:
    mgpu.as_gpu_kernel(no_output, GRID, BLOCK, (F16,), (), S)
    mgpu.as_gpu_kernel(no_output, GRID, BLOCK, F16, (), S)
    mgpu.as_gpu_kernel(no_output, GRID, BLOCK, F16, (), S())
    mgpu.as_gpu_kernel(nothing, GRID, BLOCK, (), (), None)


@legal()
def outputs_two() -> None:
    mgpu.as_gpu_kernel(two_outputs, grid=GRID, block=BLOCK, in_shape=(F16,), out_shape=(F32, F16), smem_scratch_shape=S)


@legal()
def more_scratch_than_the_body_names() -> None:
    mgpu.as_gpu_kernel(body, GRID, BLOCK, (F16,), F32, Sub)


@legal()
def scratch_in_a_tuple() -> None:
    scratch = (mgpu.SMEM((64, 64), mgpu.float16), mgpu.Barrier(1))
    mgpu.as_gpu_kernel(tuple_scratch, GRID, BLOCK, (F16,), F32, scratch)


@legal()
def scratch_bare() -> None:
    mgpu.as_gpu_kernel(barrier_scratch, GRID, BLOCK, (F16,), F32, mgpu.Barrier(1))


@legal()
def scratch_none() -> None:
    mgpu.as_gpu_kernel(no_scratch, GRID, BLOCK, (F16,), F32, ())


@legal()
def scratch_of_tensor_memory() -> None:
    mgpu.as_gpu_kernel(tmem_scratch, GRID, BLOCK, (F16,), F32, mgpu.TMEM((128, 64), mgpu.float32))


@silent(because=UNREAD)
def input_of_another_dtype() -> None:
    mgpu.as_gpu_kernel(body, GRID, BLOCK, (F32,), F32, S)  # E: SG802


@silent(because=UNREAD)
def bare_input_of_another_dtype() -> None:
    mgpu.as_gpu_kernel(body, GRID, BLOCK, F32, F32, S)  # E: SG802


@silent(because=UNREAD)
def output_of_another_dtype() -> None:
    mgpu.as_gpu_kernel(body, GRID, BLOCK, (F16,), F16, S)  # E: SG802


@silent(because=UNREAD)
def outputs_swapped() -> None:
    mgpu.as_gpu_kernel(two_outputs, GRID, BLOCK, (F16,), (F16, F32), S)  # E: SG802


@silent(because=UNREAD)
def scratch_of_another_dtype() -> None:
    mgpu.as_gpu_kernel(body, GRID, BLOCK, (F16,), F32, T)  # E: SG802


@silent(because=UNREAD)
def several_barriers_for_one() -> None:
    scratch = (mgpu.SMEM((64, 64), mgpu.float16), mgpu.Barrier(1, 2))
    mgpu.as_gpu_kernel(tuple_scratch, GRID, BLOCK, (F16,), F32, scratch)  # E: SG802


@silent(because=UNREAD)
def metadata_for_an_accumulator() -> None:
    scratch = mgpu.TMEM((128, 64), mgpu.uint2, layout=tcgen05.sparse_meta_layout())
    mgpu.as_gpu_kernel(tmem_scratch, GRID, BLOCK, (F16,), F32, scratch)  # E: SG802


@silent(because=UNREAD)
def barrier_for_a_class() -> None:
    mgpu.as_gpu_kernel(body, GRID, BLOCK, (F16,), F32, mgpu.Barrier(1))  # E: SG802


@illegal(raises="takes 3 positional arguments but 4 were given")
def input_that_the_body_does_not_take() -> None:
    mgpu.as_gpu_kernel(no_input, GRID, BLOCK, (F16,), F32, S)  # E: SG802


@illegal(raises="missing 1 required positional argument")
def output_that_the_body_takes() -> None:
    mgpu.as_gpu_kernel(body, GRID, BLOCK, (F16,), (), S)  # E: SG802


@silent(because=UNREAD)
def input_of_another_dtype_and_no_output() -> None:
    mgpu.as_gpu_kernel(no_output, GRID, BLOCK, F32, (), S)  # E: SG802


# --- a spec that is annotated as another reference


@silent(arch="sm_90a", because="annotations of variables do nothing at run time")
def annotated_otherwise() -> None:
    _out: mgpu.GmemRef[mgpu.float16] = mgpu.GMEM((64, 64), mgpu.float32)  # E: SG000
    _wide: mgpu.SmemRef[mgpu.float16, Literal[64]] = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)  # E: SG000
