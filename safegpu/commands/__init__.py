"""What the command line does beside checking and compiling: `init` sets a project up, `doctor` says what is live."""
