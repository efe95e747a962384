"""What needs no GPU: lowering a kernel on a CPU, and compiling it to SASS for a GPU that is not there."""
