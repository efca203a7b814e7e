#!/bin/sh
# Stands for ptxas: one kernel of two spills.
cat <<END
ptxas info    : Compiling entry function 'small' for 'sm_75'
ptxas info    : Function properties for small
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Compiling entry function 'large' for 'sm_75'
ptxas info    : Function properties for large
    16 bytes stack frame, 16 bytes spill stores, 12 bytes spill loads
END
