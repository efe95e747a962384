"""The metadata of a sparse A, written to tensor memory from registers.

No register layout describes the order in which the tensor core wants the metadata, so Mosaic GPU cannot place it
("Sparse meta layout stores unsupported."), and without the check it would multiply by other elements than you meant.

safegpu says:

    examples/bugs/store_to_sparse_metadata.py:28:5: SG101 store-to-sparse-metadata: registers cannot be stored to sparse-metadata TMEM  [call-arg]
        fix: write the metadata to SMEM and call tcgen05.async_copy_sparse_metadata_smem_to_tmem

The way that works is in `examples/sparse_matmul.py`.
"""

import safegpu as mgpu
from safegpu import tcgen05

M, K = 128, 256


class Scratch(mgpu.Scratch):
    a_metadata = mgpu.TMEM((128, K // 2), mgpu.uint2, layout=tcgen05.sparse_meta_layout())


def populate(
    ctx: mgpu.LaunchContext, metadata: mgpu.GmemRef[mgpu.uint2], out: mgpu.GmemRef[mgpu.float32], scratch: Scratch
) -> None:
    two_bits = mgpu.FragmentedArray.load_untiled(metadata, layout=mgpu.tmem_native_layout(16), optimized=False)
    scratch.a_metadata.store(two_bits)


def kernel() -> mgpu.Kernel:
    return mgpu.as_gpu_kernel(
        populate,
        grid=(1, 1, 1),
        block=(128, 1, 1),
        in_shape=mgpu.GMEM((M, K // 2), mgpu.uint2),
        out_shape=mgpu.GMEM((M, 128), mgpu.float32),
        smem_scratch_shape=Scratch,
    )
