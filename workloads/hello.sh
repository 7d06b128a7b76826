#!/bin/sh
# A script for `dmm submit`: it travels to where the job runs. Its first lines say what the job is.
#DMM --processors 4 --limit-wall 60
#SBATCH --job-name=hello
echo "hello ${1:-you}, from $DMM_NODES"
