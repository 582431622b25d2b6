#!/bin/bash
#SBATCH --job-name=cu2grad
#SBATCH --array=0-7
#SBATCH --cpus-per-task=8
#SBATCH --mem=16G
#SBATCH --time=02:00:00
# In the folder of the class. For cuda add: #SBATCH --gres=gpu:1
source ~/cu2grad/.venv/bin/activate
grader class grade --plain --share "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT"
