"""One GPU model for each architecture: the figures that a compiler reads of it, and that a kernel has to fit."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Device:
    """The figures of one GPU model that the compiler reads."""

    name: str
    major: int
    minor: int
    cores: int
    threads_per_core: int
    shared_kib_per_core: int
    l2_mib: int
    memory_gib: int
    bandwidth_gb: int
    clock_ghz: float

    @property
    def arch(self) -> tuple[int, int]:
        return self.major, self.minor

    @property
    def shared_bytes_per_block(self) -> int:
        """The most that a block can ask for: the driver keeps a KiB of the core's for each (CUDA Programming Guide)."""
        return self.shared_kib_per_core - 1 << 10


DEVICES = {
    "sm_80": Device("NVIDIA A100-SXM4-80GB", 8, 0, 108, 2048, 164, 40, 80, 2039, 1.41),
    "sm_90a": Device("NVIDIA H100 80GB HBM3", 9, 0, 132, 2048, 228, 50, 80, 3350, 1.98),
    "sm_100a": Device("NVIDIA B200", 10, 0, 148, 2048, 228, 126, 180, 8000, 1.96),
    "sm_103a": Device("NVIDIA B300", 10, 3, 148, 2048, 228, 126, 270, 8000, 1.92),
    "sm_110a": Device("NVIDIA Thor", 11, 0, 20, 1536, 228, 32, 128, 273, 1.57),
    "sm_120a": Device("NVIDIA GeForce RTX 5090", 12, 0, 170, 1536, 100, 96, 32, 1790, 2.41),
}


def device(arch: str) -> Device:
    """The device that stands for `arch`."""
    try:
        return DEVICES[arch]
    except KeyError:
        raise ValueError(f"arch must be one of {', '.join(DEVICES)}, got {arch!r}") from None


def target_config(arch: str) -> str:
    """The text proto by which XLA knows the device it compiles for."""
    part = device(arch)
    return f"""
    gpu_device_info {{
      threads_per_block_limit: 1024
      threads_per_warp: 32
      shared_memory_per_block: {48 << 10}
      shared_memory_per_core: {part.shared_kib_per_core << 10}
      shared_memory_per_block_optin: {part.shared_bytes_per_block}
      threads_per_core_limit: {part.threads_per_core}
      core_count: {part.cores}
      fpus_per_core: 128
      block_dim_limit_x: {2**31 - 1}
      block_dim_limit_y: {2**16 - 1}
      block_dim_limit_z: {2**16 - 1}
      memory_bandwidth: {part.bandwidth_gb * 10**9}
      l2_cache_size: {part.l2_mib << 20}
      clock_rate_ghz: {part.clock_ghz}
      device_memory_size: {part.memory_gib << 30}
      cuda_compute_capability {{
        major: {part.major}
        minor: {part.minor}
        {"feature_extension: ACCELERATED_FEATURES" if arch.endswith("a") else ""}
      }}
      registers_per_core_limit: {64 << 10}
      registers_per_block_limit: {64 << 10}
    }}
    platform_name: "CUDA"
    dnn_version_info {{ major: 9 minor: 0 patch: 0 }}
    device_description_str: "{part.name}"
    """
