set -e
python setup.py build_ext --inplace bdist_wheel
python run.py
