"""Two solved questions, held out, with a trace in words and one in code."""

from fractions import Fraction

import tables_llmtabbench
import tables_scitarc
from published import best, mean, read, rounded
from question import Question


def two_modes() -> tuple[Question, str, str]:
    lines = read("table11")
    shots = tuple(dict.fromkeys(line["k"] for line in lines))
    averages, told, data = {}, [], []
    for k in shots:
        chosen = [line for line in lines if line["k"] == k]
        differences = {
            line["model"]: Fraction(line["generation"]) - Fraction(line["forward"])
            for line in chosen
        }
        averages[k] = rounded(mean(differences.values()), 4)
        steps = "; ".join(
            f"{line['model']} {line['generation']} - {line['forward']} = "
            f"{rounded(differences[line['model']], 4)}"
            for line in chosen
        )
        terms = " + ".join(f"({rounded(one, 4)})" for one in differences.values())
        told.append(f"With {k} examples: {steps}. Average: ({terms}) / 3 = {averages[k]}.")
        pairs = ", ".join(f"({line['generation']}, {line['forward']})" for line in chosen)
        data.append(f"    {k}: [{pairs}],")
    question = Question(
        "llmtabbench",
        """Averaged over the three models, how much higher is the mean ROC-AUC of generation than
        that of the forward pass, with 0 and with 64 labelled examples? Round both to four
        decimals.""",
        """
        LOOP for each number of examples
            LOOP for each model
                SELECT mean ROC-AUC of Generation and of Forward
                COMPUTE difference = Generation - Forward
            COMPUTE average of the differences
        RETURN average with 0 examples, average with 64 examples
        """,
        f"{averages['0']} with 0 examples, {averages['64']} with 64 examples",
        (tables_llmtabbench.modes,),
    )
    code = [
        "# Number of examples: (Generation, Forward) of each model",
        "scores = {",
        *data,
        "}",
        "averages = {k: sum(g - f for g, f in pairs) / len(pairs) for k, pairs in scores.items()}",
        'print(", ".join(f"{average:.4f} with {k} examples" for k, average in averages.items()))',
    ]
    return question, "\n".join(told), "\n".join(code)


def regressions() -> tuple[Question, str, str]:
    lines = read("scitarc_table11")
    shares, told, data = {}, [], []
    for line in lines:
        name, before, after = line["model"], line["zs_direct"], line["fs_oracle"]
        errors, lost = line["fs_oracle_errors"], line["regressions"]
        data.append(f'    ("{name}", {before}, {after}, {errors}, {lost}),')
        if Fraction(after) > Fraction(before):
            shares[name] = Fraction(lost) / Fraction(errors)
            share = rounded(100 * shares[name], 1)
            told.append(f"{name}: {after} > {before}, so it counts; {lost} / {errors} = {share}%.")
        else:
            told.append(f"{name}: {after} is not above {before}, so it does not count.")
    top = best(shares)
    answer = f"{top}, {rounded(100 * shares[top], 1)}%"
    question = Question(
        "scitarc",
        """Among the models that are more accurate under FS-Oracle than under ZS-Direct, which one
        has the largest share of regressions among its FS-Oracle errors, and how large is that share
        in percent, rounded to one decimal?""",
        """
        LOOP for each model
            SELECT accuracy under ZS-Direct and under FS-Oracle
            IF accuracy under FS-Oracle > accuracy under ZS-Direct
                SELECT total of FS-Oracle errors and regressions
                COMPUTE share = regressions / total
        COMPUTE top_model = argmax(share)
        RETURN top_model, its share in percent
        """,
        answer,
        (tables_scitarc.few_shot,),
    )
    told.append(f"The largest share is that of {top}.")
    code = f"""\
# Model, ZS-Direct, FS-Oracle, total of FS-Oracle errors, regressions
rows = [
{chr(10).join(data)}
]
shares = {{name: lost / errors for name, zs, fs, errors, lost in rows if fs > zs}}
top = max(shares, key=shares.get)
print(f"{{top}}, {{100 * shares[top]:.1f}}%")"""
    return question, "\n".join(told), code


ALL = (two_modes(), regressions())
