"""The version of DietCode; the CMake project reads it from here, too."""

__version__ = "0.1.0"
