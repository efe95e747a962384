"""A kernel is for one architecture: where it is stated more than once, the places agree."""

from typing import Any

from _twins import legal, refused

import safegpu as mgpu

OUT = mgpu.GMEM((64, 64), mgpu.float16)


class Hopper(mgpu.Scratch[mgpu.sm_90a]):
    tile = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)


class Any_(mgpu.Scratch):
    tile = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)


def on_hopper(ctx: mgpu.LaunchContext[mgpu.sm_90a], o: mgpu.GmemRef[mgpu.float16], s: Hopper) -> None: ...


def on_blackwell(ctx: mgpu.LaunchContext[mgpu.sm_100a], o: mgpu.GmemRef[mgpu.float16], s: Hopper) -> None: ...


def with_any_scratch(ctx: mgpu.LaunchContext[mgpu.sm_100a], o: mgpu.GmemRef[mgpu.float16], s: Any_) -> None: ...


def unstated(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], s: Hopper) -> None: ...


def unknown(ctx: mgpu.LaunchContext[Any], o: mgpu.GmemRef[mgpu.float16], s: Any_) -> None: ...


@legal(arch=None)
def stated_alike() -> None:
    mgpu.as_gpu_kernel(on_hopper, (1, 1, 1), (128, 1, 1), (), OUT, Hopper, arch=mgpu.sm_90a)


@legal(arch=None)
def stated_once() -> None:
    mgpu.as_gpu_kernel(with_any_scratch, (1, 1, 1), (128, 1, 1), (), OUT, Any_)


@legal(arch=None)
def stated_by_scratch() -> None:
    mgpu.as_gpu_kernel(unstated, (1, 1, 1), (128, 1, 1), (), OUT, Hopper)


@legal(arch=None)
def stated_by_the_argument() -> None:
    mgpu.as_gpu_kernel(unknown, (1, 1, 1), (128, 1, 1), (), OUT, Any_, arch=mgpu.sm_120a)


@refused(arch=None)
def context_and_scratch() -> None:
    mgpu.as_gpu_kernel(on_blackwell, (1, 1, 1), (128, 1, 1), (), OUT, Hopper)  # L: SG602


@refused(arch=None)
def context_and_argument() -> None:
    mgpu.as_gpu_kernel(on_hopper, (1, 1, 1), (128, 1, 1), (), OUT, Hopper, arch=mgpu.sm_100a)  # E: SG602


@refused(arch=None)
def scratch_and_argument() -> None:
    mgpu.as_gpu_kernel(unstated, (1, 1, 1), (128, 1, 1), (), OUT, Hopper, arch=mgpu.sm_100a)  # E: SG602


@refused(arch="sm_100a")
def lowered_for_another() -> None:
    mgpu.as_gpu_kernel(on_hopper, (1, 1, 1), (128, 1, 1), (), OUT, Hopper)  # L: SG602
