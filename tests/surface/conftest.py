"""The typed surface is that of jax 0.11.2: beside another jax there is nothing to compare it with."""

import jax

if jax.__version__ != "0.11.2":
    collect_ignore_glob = ["test_*.py"]
