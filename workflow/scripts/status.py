"""Say how far the run is, from the files that it leaves; asks nothing and changes nothing else."""

import json
import sys
import time
from pathlib import Path

from tabbench.core.job import job
from tabbench.inference.engines.spending import Spending
from tabbench.inference.run_status import Job, by_model, status_lines

terminal = sys.stdout

with job(snakemake.log[0]):
    jobs = [
        Job(model, [*map(Path, prompts)], [*map(Path, logs)], repeats, Path(marker))
        for model, prompts, logs, repeats, marker in snakemake.params.jobs
    ]
    counts = by_model(jobs)
    money = {
        name: f"{spending.total:.4f} {currency}"
        for name, currency in snakemake.params.currencies.items()
        if (spending := Spending(Path(f"results/models/{name}/spending.csv"))).total
    }
    last = Path(snakemake.params.last)
    now, answered = time.time(), sum(count.answered for count in counts.values())
    since = None
    if last.exists():
        before = json.loads(last.read_text())
        since = now - before["time"], before["answered"]
    for line in status_lines(counts, snakemake.params.titles, money, since):
        print(line, file=terminal)
    last.write_text(json.dumps({"time": now, "answered": answered}))
