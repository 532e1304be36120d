"""A real OpenAI-compatible server on loopback: llama.cpp (xllamacpp) with the embedded model.

python tests/llama_server.py MODEL.gguf    prints its address; ends when its input ends
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ALIAS = "smollm2-135m-instruct"
CONTEXT = 4096


@contextmanager
def llama_server(weights: Path) -> Iterator[str]:
    """Serve a GGUF file from a process of its own; give the address with ``/v1``."""
    process = subprocess.Popen(
        [sys.executable, __file__, str(weights)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        for line in process.stdout:
            if line.startswith("http://"):
                yield f"{line.strip()}/v1"
                return
        raise RuntimeError(f"the llama.cpp server ended with {process.wait()} before it served")
    finally:
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()


def serve(weights: str) -> None:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = weights
    params.model_alias = {ALIAS}
    params.port = 0
    params.n_parallel, params.n_ctx = 2, 2 * CONTEXT
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.warmup = False
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()
    os._exit(0)  # its threads do not end


if __name__ == "__main__":
    serve(sys.argv[1])
