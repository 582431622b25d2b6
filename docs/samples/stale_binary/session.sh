python -m pip install --quiet --no-build-isolation --no-deps --editable .
python ask.py
sed -i 's/ + c\[i\]/ - c[i]/' csrc/kernel.cu # another kernel
python ask.py
python setup.py --quiet build_ext --inplace
python ask.py
