set -e
python setup.py build_ext --inplace
python run.py
