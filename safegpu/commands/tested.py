"""The versions that safegpu's tests pass with. Others are likely to work; `safegpu doctor` says which are meant."""

PYTHON = ("3.12", "3.13")

TESTED = {
    "jax": ("0.11.2", "0.12.0.1"),
    "mypy": ("2.4.1", "2.3.1", "2.2.0"),
    "pyright": ("1.1.414",),
    "basedpyright": ("1.40.2",),
}
"""By distribution. jaxlib has the version of its jax."""
