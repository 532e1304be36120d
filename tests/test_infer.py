"""Inference asks what is missing, once; predictions come from the log alone."""

import multiprocessing
import time
from dataclasses import replace

import pandas as pd
import pytest
from disk import synchronised
from quiet import Quiet

from tabbench.config.dataset_entry import TaskText
from tabbench.core.cells import Variant
from tabbench.core.errors import TabBenchError
from tabbench.inference.engines.base import (
    TOO_LONG,
    Batch,
    Description,
    Failure,
    Generation,
    LabelScore,
    StopError,
    Usage,
)
from tabbench.inference.failures import (
    FailedRequest,
    failures_path,
    read_failures,
    record_failures,
)
from tabbench.inference.infer import Counts, infer
from tabbench.inference.requests import read_requests
from tabbench.inference.responses import (
    Identity,
    Response,
    ResponseLog,
    read_responses,
    request_keys,
)
from tabbench.prompts.prompts import DatasetFiles, build
from tabbench.prompts.serialize import SERIALIZATIONS, serialize_frame
from tabbench.scoring.predict import predict

WHO = Identity("small", "sha", "fake/1", "completion", "float32", "{}", True, 4, ())
TASK = TaskText("a person", "whether the person is old", "young", "old")
FORWARD = Variant("forward", "contextual", "feat_val")
GENERATION = Variant("generation", "contextual", "feat_val")


class FakeEngine:
    """Answers from the prompt text; counts what it was asked and can die after some batches."""

    description = Description("fake", "completion", "float32", "t")
    whole_groups = True
    span = 0

    def __init__(self, text="1", dies_after=None):
        self.text, self.dies_after, self.answered = text, dies_after, []
        self.usage = Usage()

    def batches(self, requests):
        for start in range(0, len(requests), 3):
            indices = tuple(range(start, min(start + 3, len(requests))))
            yield Batch(indices, [requests[index] for index in indices])

    def answer(self, batch):
        if self.dies_after is not None and len(self.answered) >= self.dies_after:
            raise KeyboardInterrupt
        self.answered += batch.payload
        answers = map(self._answer, batch.payload)
        return [dict(zip(batch.indices, answers, strict=True))]

    def _answer(self, request):
        if request.mode == "forward":
            return LabelScore(-0.5 - len(request.prompt.query) / 100, -1.0, 7, 0.1)
        return Generation(self.text, {0: (-2.0, -0.2)}, 7, 1, 0.1)


def files(ages=range(30, 42), cap=8):
    table = pd.DataFrame({"row_id": range(12), "y": [0, 1] * 6, "age": [float(a) for a in ages]})
    parts = ["test"] * cap + ["unused"] * (8 - cap) + ["train"] * 4
    split = pd.DataFrame({"row_id": range(12), "part": parts, "position": range(12)})
    frames = []
    for name in ("feat_val", "html"):
        head, rows = serialize_frame(table[["age"]], SERIALIZATIONS[name])
        frames.append(
            pd.DataFrame({"serialization": name, "row_id": [-1, *range(12)], "text": [head, *rows]})
        )
    shots = pd.DataFrame({"seed": 5, "position": [0, 1], "row_id": [8, 9]})
    return DatasetFiles(table, split, pd.concat(frames), shots)


def asks(variants=(FORWARD, GENERATION), task=TASK, **changes):
    return read_requests(build("toy", 2, [5], variants, task, files(**changes)), "small")


def run(path, asked, engine):
    loads = []

    def load():
        loads.append(1)
        return engine

    counts = infer([(path, asked)], WHO, load, Quiet())
    return counts, len(loads)


def test_requests_of_a_prompt_and_a_format_are_timed_together():
    kinds = {ask.request.kind for ask in asks([FORWARD, Variant("forward", "contextual", "html")])}
    assert kinds == {"contextual, feat_val", "contextual, html"}


def test_a_full_log_loads_no_model(tmp_path):
    path = tmp_path / "k2.jsonl"
    assert run(path, asks(), FakeEngine()) == (Counts(16, 0, 16), 1)
    assert run(path, asks(), FakeEngine()) == (Counts(16, 16, 0), 0)


def test_only_what_is_new_is_asked(tmp_path):
    path = tmp_path / "k2.jsonl"
    run(path, asks([FORWARD]), FakeEngine())
    counts, _ = run(path, asks([FORWARD, Variant("forward", "contextual", "html")]), FakeEngine())
    assert counts == Counts(16, 8, 8)
    other = TaskText("a person", "whether the person is tired", "no", "yes")
    assert run(path, asks([FORWARD], task=other), FakeEngine())[0] == Counts(8, 0, 8)


def test_a_larger_cap_asks_only_the_new_rows(tmp_path):
    path = tmp_path / "k2.jsonl"
    run(path, asks([FORWARD], cap=6), FakeEngine())
    engine = FakeEngine()
    assert run(path, asks([FORWARD], cap=8), engine)[0] == Counts(8, 6, 2)
    assert len(engine.answered) == 2


def test_an_interrupted_run_asks_at_most_one_batch_again(tmp_path):
    path, whole = tmp_path / "k2.jsonl", tmp_path / "whole.jsonl"
    run(whole, asks(), FakeEngine())
    first = FakeEngine(dies_after=7)
    with pytest.raises(KeyboardInterrupt):
        run(path, asks(), first)
    logged = path.read_bytes()
    path.write_bytes(logged[:-20])  # the last line is torn
    second = FakeEngine()
    counts, _ = run(path, asks(), second)
    assert counts.asked == 16 - len(logged.splitlines()) + 1
    assert len(first.answered) + len(second.answered) <= 16 + 3
    assert read_responses(path) == read_responses(whole)


class SlowEngine(FakeEngine):
    """So slow that another process comes in between."""

    def answer(self, batch):
        time.sleep(0.05)
        return super().answer(batch)


def infer_apart(path, ready, counts):
    ready.wait()
    counts.put(run(path, asks(), SlowEngine())[0])


def test_two_jobs_at_the_same_time_lose_nothing_and_ask_nothing_twice(tmp_path):
    path = tmp_path / "k2.jsonl"
    spawn = multiprocessing.get_context("spawn")
    ready, counts = spawn.Barrier(2), spawn.Queue()
    jobs = [spawn.Process(target=infer_apart, args=(path, ready, counts)) for _ in range(2)]
    for job in jobs:
        job.start()
    found = [counts.get(timeout=120) for _ in jobs]
    for job in jobs:
        job.join(timeout=60)
        assert job.exitcode == 0
    assert sorted(found) == [Counts(16, 0, 16), Counts(16, 16, 0)]
    assert len(path.read_bytes().splitlines()) == 16


def test_equal_prompts_are_asked_once(tmp_path):
    counts, _ = run(tmp_path / "k2.jsonl", asks([FORWARD], ages=[30.0] * 12), FakeEngine())
    assert counts == Counts(1, 0, 1)


def test_an_engines_error_names_the_cell(tmp_path):
    class Refuses(FakeEngine):
        def answer(self, _batch):
            raise TabBenchError("too long")

    with pytest.raises(TabBenchError, match=r"dataset 'toy', model 'small', forward.*too long"):
        run(tmp_path / "k2.jsonl", asks(), Refuses())


def predictions(path, asked):
    (frame,) = predict([asked], WHO, read_responses(path), read_failures(path), "Ask it.")
    return frame


def test_predictions_of_parts_are_those_of_the_whole_and_all_that_is_missing_is_counted(tmp_path):
    path = tmp_path / "k2.jsonl"
    run(path, asks(), FakeEngine("1. And so on"))
    batches = [asks()[:5], asks()[5:6], asks()[6:]]
    frames = list(predict(batches, WHO, read_responses(path), {}, ""))
    assert [len(one) for one in frames] == [5, 1, len(asks()) - 6]
    whole = predictions(path, asks())
    pd.testing.assert_frame_equal(pd.concat(frames, ignore_index=True), whole, check_exact=True)
    known = dict(read_responses(path))
    for ask in (asks()[5], asks()[-1]):
        del known[request_keys(WHO, [ask.request])[0]]
    with pytest.raises(TabBenchError, match=f"2 of {len(asks())} prompts have no logged answer"):
        list(predict(batches, WHO, known, {}, ""))


def test_predictions_come_from_the_log(tmp_path):
    path = tmp_path / "k2.jsonl"
    run(path, asks(), FakeEngine("1. And so on"))
    frame = predictions(path, asks())
    assert len(frame) == 16
    generated = frame[frame["mode"] == "generation"]
    assert (generated["y_pred"] == 1).all()
    assert generated["p_1"].iloc[0] == pytest.approx(0.8581, abs=1e-4)
    assert generated["label_mass"].iloc[0] == pytest.approx(0.9541, abs=1e-4)
    assert (frame[frame["mode"] == "forward"]["y_pred"] == 0).any()
    assert frame["y_true"].tolist()[:8] == [0, 1] * 4


class Changing(FakeEngine):
    """An endpoint that answers the same prompt in another way each time."""

    def __init__(self):
        super().__init__()
        self.calls = 0

    def _answer(self, request):
        self.calls += 1
        return replace(super()._answer(request), logp_0=-0.1 * self.calls)


def test_a_repeated_prompt_is_sent_again_and_is_a_seed_of_its_own(tmp_path):
    path = tmp_path / "k0.jsonl"
    prompts = build("toy", 0, [0], [FORWARD], TASK, files())
    once, thrice = (read_requests(prompts, "small", repeats) for repeats in (1, 3))
    assert {ask.cell.seed for ask in once} == {0}
    assert run(path, once, Changing())[0] == Counts(8, 0, 8)
    assert run(path, thrice, Changing())[0] == Counts(24, 8, 16)
    frame = predictions(path, thrice)
    assert frame.groupby("seed")["row_id"].apply(list).map(len).to_dict() == {0: 8, 1: 8, 2: 8}
    assert frame["logp_0"].nunique() > 8
    assert run(path, thrice, Changing()) == (Counts(24, 24, 0), 0)


@pytest.mark.parametrize("text", ["maybe", "", "0 or 1", "10"])
def test_what_cannot_be_parsed_is_invalid_and_has_no_label(tmp_path, text):
    path = tmp_path / "k2.jsonl"
    run(path, asks([GENERATION]), FakeEngine(text))
    frame = predictions(path, asks([GENERATION]))
    assert (frame["status"] == "invalid").all()
    assert frame["y_pred"].isna().all()
    assert frame["p_1"].isna().all()


def test_a_missing_answer_says_what_to_do(tmp_path):
    path = tmp_path / "k2.jsonl"
    run(path, asks([FORWARD]), FakeEngine())
    with pytest.raises(TabBenchError, match=r"generation.*8 of 16 prompts have no logged.*Ask it"):
        predictions(path, asks())


def test_the_contextual_prompt_needs_a_task():
    with pytest.raises(TabBenchError, match="needs a task text"):
        asks(task=None)


def test_prompts_hold_the_examples_with_their_labels_and_end_with_the_cue():
    prompt = asks([FORWARD])[0].request.prompt
    assert prompt.prefix.count("Answer is 0") == prompt.prefix.count("Answer is 1") == 1
    assert prompt.query == "Features are: age = 30. Answer is "
    assert "0 (young) or 1 (old)" in prompt.prefix


class OneAtATime(FakeEngine):
    """As an endpoint does: answers come one by one, some fail, nothing is asked in groups."""

    whole_groups = False

    def __init__(self, fails=(), stops_after=None):
        super().__init__()
        self.fails, self.stops_after = fails, stops_after

    def batches(self, requests):
        yield Batch(tuple(range(len(requests))), list(requests))

    def answer(self, batch):
        for number, (index, request) in enumerate(zip(batch.indices, batch.payload, strict=True)):
            if number == self.stops_after:
                raise StopError("no money is left")
            self.answered.append(request)
            failed = any(text in request.prompt.query for text in self.fails)
            yield {index: Failure("http_500", "broken") if failed else self._answer(request)}


def test_a_failed_request_is_recorded_and_asked_again_alone(tmp_path):
    path = tmp_path / "k2.jsonl"
    with pytest.raises(TabBenchError, match=r"1 of 8 prompts have no response.*toy.*http_500: bro"):
        run(path, asks([FORWARD]), OneAtATime(fails=["age = 33"]))
    assert len(read_responses(path)) == 7
    assert len(read_failures(path)) == 1
    engine = OneAtATime()
    assert run(path, asks([FORWARD]), engine)[0] == Counts(8, 7, 1)
    assert len(engine.answered) == 1
    assert read_failures(path) == {}


def test_the_first_failure_is_the_one_that_is_named(tmp_path):
    failing = OneAtATime(fails=["age = 33", "age = 35"])
    with pytest.raises(TabBenchError, match=r"4 of 16 prompts .*The first: [^.]*, forward"):
        run(tmp_path / "k2.jsonl", asks(), failing)


def test_what_came_before_a_stop_is_kept(tmp_path):
    path = tmp_path / "k2.jsonl"
    with pytest.raises(StopError, match=r"^no money is left$"):
        run(path, asks([FORWARD]), OneAtATime(stops_after=3))
    assert len(read_responses(path)) == 3
    assert run(path, asks([FORWARD]), OneAtATime())[0] == Counts(8, 3, 5)


def outcome(answer):
    asked = asks([FORWARD])[:1]
    (key,) = request_keys(WHO, [asked[0].request])
    responses = {key: Response(key, answer, FakeEngine.description)}
    (frame,) = predict([asked], WHO, responses, {}, "")
    (row,) = frame.to_dict("records")
    return row


def test_bounds_are_flagged_and_two_of_them_compare_nothing():
    one = outcome(LabelScore(-5.0, -0.1, 7, 0.1, bounded=(0,)))
    assert one["bounded"]
    assert (one["status"], one["y_pred"]) == ("ok", 1)
    both = outcome(LabelScore(-5.0, -5.0, 7, 0.1, bounded=(0, 1)))
    assert both["status"] == "invalid"
    assert pd.isna(both["p_1"])
    assert pd.isna(both["y_pred"])


def test_a_label_without_probabilities_is_a_label_only():
    row = outcome(Generation("1", None, 7, 1, 0.1))
    assert (row["status"], row["y_pred"]) == ("label_only", 1)
    assert pd.isna(row["p_1"])
    assert outcome(Generation("well", None, 7, 1, 0.1))["status"] == "invalid"


def test_a_text_counts_for_its_label_even_where_the_other_was_likelier():
    row = outcome(Generation("0", {0: (-2.0, -0.2)}, 7, 1, 0.1))
    assert (row["status"], row["y_pred"]) == ("ok", 0)
    assert row["p_1"] > 0.5


def test_a_probability_is_that_of_the_digit_which_answers():
    text, places = "Answer: 1. Not 0.", {8: (-2.0, -0.2), 15: (-0.1, -3.0)}
    row = outcome(Generation(text, places, 7, 5, 0.1, bounded=(15,)))
    assert (row["logp_0"], row["logp_1"], row["bounded"]) == (-2.0, -0.2, False)
    assert outcome(Generation(text, places, 7, 5, 0.1, bounded=(8,)))["bounded"]
    elsewhere = outcome(Generation(text, {15: (-0.1, -3.0)}, 7, 5, 0.1))
    assert elsewhere["status"] == "invalid"
    assert pd.isna(elsewhere["y_pred"])


def test_equal_probabilities_are_class_1_and_time_is_kept():
    row = outcome(LabelScore(-1.0, -1.0, 7, 0.25))
    assert (row["p_1"], row["y_pred"]) == (0.5, 1)
    assert (row["seconds"], row["prompt_tokens"], row["completion_tokens"]) == (0.25, 7, 0)
    written = outcome(Generation("1", {0: (-2.0, -0.2)}, 7, 3, 0.5))
    assert (written["seconds"], written["prompt_tokens"], written["completion_tokens"]) == (
        0.5,
        7,
        3,
    )


def test_as_many_failures_as_tolerated_are_no_error(tmp_path):
    asked = asks([FORWARD])

    def counts(tolerated, path):
        failing = OneAtATime(fails=["age = 33", "age = 35"])
        return infer([(path, asked)], WHO, lambda: failing, Quiet(), tolerated)

    assert counts(2 / 8, tmp_path / "a.jsonl") == Counts(8, 0, 6, 2)
    with pytest.raises(TabBenchError, match=r"2 of 8 prompts have no response"):
        counts(1.9 / 8, tmp_path / "b.jsonl")


def test_where_batches_matter_the_engine_sees_whole_groups_again(tmp_path):
    class Watched(FakeEngine):
        def batches(self, requests):
            self.seen = len(requests)
            return super().batches(requests)

    path = tmp_path / "k2.jsonl"
    run(path, asks([FORWARD], cap=4), FakeEngine())
    engine = Watched()
    assert run(path, asks([FORWARD], cap=8), engine)[0] == Counts(8, 4, 4)
    assert engine.seen == 8
    # Batches are of three: the first is answered, of the second only what is new is logged.
    assert len(engine.answered) == 5
    assert len(path.read_bytes().splitlines()) == 8


def test_a_group_that_lacks_only_what_does_not_fit_is_not_sent_again(tmp_path):
    path, asked = tmp_path / "k2.jsonl", asks([FORWARD])
    (key,) = request_keys(WHO, [asked[3].request])
    misfits = {path: {key: FailedRequest(key, Failure(TOO_LONG, "long"), FakeEngine.description)}}
    more = asks([FORWARD, Variant("forward", "contextual", "html")])
    engine = FakeEngine()
    given = []
    batches = engine.batches
    engine.batches = lambda requests: given.append(len(requests)) or batches(requests)
    for requests in (asked, more):
        counts = infer([(path, requests)], WHO, lambda: engine, Quiet(), misfits=misfits)
        assert counts.too_long == 1
    assert given == [7, 8]
    assert len(read_responses(path)) == 15
    assert read_failures(path).keys() == {key}


def test_a_torn_record_of_a_failure_is_left_out_and_others_are_read(tmp_path):
    path = tmp_path / "k2.jsonl"
    with pytest.raises(TabBenchError):
        run(path, asks([FORWARD]), OneAtATime(fails=["age = 33", "age = 35"]))
    record = failures_path(path)
    record.write_bytes(record.read_bytes()[:-9])
    assert len(read_failures(path)) == 1
    record.write_bytes(b"{}\n")
    with pytest.raises(TabBenchError, match="line 1: not a record of a failed request"):
        read_failures(path)


def test_failures_are_on_disk_when_they_are_recorded(tmp_path, monkeypatch):
    path = tmp_path / "k2.jsonl"
    failed = FailedRequest("a", Failure("http_500", "broken"), FakeEngine.description)
    record_failures(path, [failed])
    on_disk = synchronised(failures_path(path), monkeypatch)
    record_failures(path, [failed])
    assert [content.count(b"http_500") for content in on_disk] == [2]


# Several logs at a time ------------------------------------------------------------------------


class Together(OneAtATime):
    """Wants 20 requests at a time; some modes first, so that its batches cross datasets."""

    span = 20

    def __init__(self, dies_after=None):
        super().__init__()
        self.given, self.dies_at = [], dies_after

    def batches(self, requests):
        self.given.append(len(requests))
        for mode in ("forward", "generation"):
            chosen = [at for at, one in enumerate(requests) if one.mode == mode]
            if chosen:
                yield Batch(tuple(chosen), [requests[at] for at in chosen])

    def answer(self, batch):
        for outcomes in super().answer(batch):
            if len(self.answered) == self.dies_at:
                raise KeyboardInterrupt
            yield outcomes


def datasets(folder, count=5, variants=(FORWARD, GENERATION)):
    """Logs of 16 requests of their own each."""
    return [
        (folder / f"{number}.jsonl", asks(variants, ages=range(number * 20, number * 20 + 12)))
        for number in range(count)
    ]


def infer_all(logs, engine):
    return infer(logs, WHO, lambda: engine, Quiet())


def test_an_engine_is_given_so_many_requests_of_several_datasets(tmp_path):
    logs = datasets(tmp_path)
    run(*logs[1], FakeEngine())
    engine = Together()
    assert infer_all(logs, engine) == Counts(80, 16, 64)
    assert engine.given == [32, 32]
    for path, asked in logs:
        assert set(request_keys(WHO, [one.request for one in asked])) == set(read_responses(path))
    alone = [(tmp_path / "alone" / path.name, asked) for path, asked in logs]
    by_itself = FakeEngine()
    infer_all(alone, by_itself)
    for (path, _), (other, _) in zip(logs, alone, strict=True):
        found, expected = read_responses(path), read_responses(other)
        assert {key: found[key].answer for key in found} == {
            key: expected[key].answer for key in expected
        }


def test_what_is_left_over_is_answered_too(tmp_path):
    engine = Together()
    assert infer_all(datasets(tmp_path, 3), engine).asked == 48
    assert engine.given == [32, 16]


def test_without_a_wish_datasets_are_answered_one_by_one(tmp_path):
    engine = Together()
    engine.span = 0
    infer_all(datasets(tmp_path, 3), engine)
    assert engine.given == [16, 16, 16]


def test_no_more_logs_are_open_than_may_be(tmp_path, monkeypatch):
    monkeypatch.setattr("tabbench.inference.infer.MOST_LOGS", 2)
    engine = Together()
    engine.span = 10**6
    open_logs, most = [], []
    enter, leave = ResponseLog.__enter__, ResponseLog.__exit__

    def entered(log):
        open_logs.append(log)
        most.append(len(open_logs))
        return enter(log)

    def left(log, *error):
        open_logs.remove(log)
        return leave(log, *error)

    monkeypatch.setattr(ResponseLog, "__enter__", entered)
    monkeypatch.setattr(ResponseLog, "__exit__", left)
    infer_all(datasets(tmp_path), engine)
    assert engine.given == [32, 32, 16]
    assert (max(most), open_logs) == (2, [])


@pytest.mark.parametrize("dies_after", [1, 9, 16, 17, 31, 40])
def test_a_killed_run_keeps_each_answer_that_was_handed_on(tmp_path, dies_after):
    logs = datasets(tmp_path, 3)
    first = Together(dies_after)
    with pytest.raises(KeyboardInterrupt):
        infer_all(logs, first)
    kept = sum(len(read_responses(path)) for path, _ in logs)
    assert kept == dies_after - 1
    second = Together()
    assert infer_all(logs, second) == Counts(48, kept, 48 - kept)
    assert len(second.answered) == 48 - kept


def test_a_fault_of_a_shared_batch_names_a_cell_and_frees_all_logs(tmp_path):
    class Refuses(Together):
        def answer(self, _batch):
            raise TabBenchError("out of memory")

    logs = datasets(tmp_path, 2)
    with pytest.raises(TabBenchError, match=r"dataset 'toy', .*out of memory"):
        infer_all(logs, Refuses())
    assert infer_all(logs, Together()).asked == 32


def test_failures_stand_next_to_their_own_log(tmp_path):
    logs = datasets(tmp_path, 2, [FORWARD])
    engine = Together()
    engine.fails = ["age = 21", "age = 3."]
    with pytest.raises(TabBenchError, match="2 of 16 prompts have no response"):
        infer_all(logs, engine)
    assert [len(read_failures(path)) for path, _ in logs] == [1, 1]
