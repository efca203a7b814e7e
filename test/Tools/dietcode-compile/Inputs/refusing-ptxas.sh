#!/bin/sh
# Knows no chip.
echo "ptxas fatal   : Value 'sm_75' is not defined for option 'gpu-name'"
exit 255
