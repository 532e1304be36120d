"""What the decision page says of probabilities: against the base rate, and recalibrated."""

import math

from tabbench.core.schemas import decision as schema
from tabbench.decision.phrases import bracket, digits, with_labels
from tabbench.decision.sentences import Evidence, each
from tabbench.reporting.writer import plural, plus_minus


def probability_sentences(evidence: Evidence) -> list[str]:
    """Say whether probabilities are better than the base rate, and what recalibration brings."""
    rows = each(evidence.calibrations[evidence.calibrations["kind"] == "model"])
    texts = []
    for one, k in dict.fromkeys((row.model, int(row.k)) for row in rows):
        by_method = {
            row.method: row
            for row in rows
            if (row.model, row.k) == (one, k) and not math.isnan(row.brier)
        }
        if schema.AS_ANSWERED not in by_method:
            continue
        raw = by_method[schema.AS_ANSWERED]
        compared = "below" if raw.brier < raw.brier_base_rate else "not below"
        text = (
            f"{evidence.name(one)}, {with_labels(k)}: the Brier score is {digits(raw.brier)}, "
            f"{compared} the {digits(raw.brier_base_rate)} of forecasting the base rate for every "
            "row"
        )
        changes = [
            f"{_METHODS[method]} changes it by {plus_minus(row.brier_change, signed=True)}"
            f"{bracket((row.brier_change_low, row.brier_change_high, True))} to "
            f"{digits(row.brier)} ({plural(row.labelled_rows, 'labelled row')})"
            for method, row in by_method.items()
            if method in _METHODS
        ]
        texts.append(f"{text}{'; ' + '; '.join(changes) if changes else ''}.")
    return texts


_METHODS = {schema.PLATT: "Platt's recalibration", schema.ISOTONIC: "isotonic recalibration"}
