"""Learners, options, and the same bytes as the command line."""

from __future__ import annotations

import json
import subprocess

import numpy as np
import pytest
from conftest import nameless

import npvar
from npvar import errors

LEARNERS = list(npvar.learners())


@pytest.mark.parametrize("learner", LEARNERS)
def test_python_and_the_command_line_give_the_same_bytes(learner: str, program: str, tmp_path) -> None:
    simulated = npvar.simulate("ER-SIN-1", nodes=4, samples=150, seed=7)
    simulated.data.to_csv(tmp_path / "data.csv")
    arguments = [program, "learn", "data.csv", "--learner", learner, "--seed", "5", "--json", "--no-timing", "--quiet"]
    printed = subprocess.run(arguments, cwd=tmp_path, capture_output=True, check=True, text=True).stdout
    learned = npvar.learn(simulated.data, learner, seed=5)
    assert nameless(learned.to_json(timing=False)) == nameless(printed)
    on_one_thread = npvar.learn(simulated.data.to_numpy(), learner, seed=5, threads=1)
    assert nameless(on_one_thread.to_json(timing=False)) == nameless(printed)
    assert nameless(npvar.learn(tmp_path / "data.csv", learner, seed=5).to_json(timing=False)) == nameless(printed)
    assert npvar.Learned.from_json(printed) == learned
    timing = npvar.learn(simulated.data, learner, seed=5, bootstrap=1).timing
    assert min(timing.values()) >= 0 and timing["evidence_seconds"] > 0
    assert sum(timing.values()) - timing["total_seconds"] == pytest.approx(timing["total_seconds"], abs=1e-6)


def test_options_are_those_of_the_command_line(program: str, tmp_path) -> None:
    data = npvar.simulate("ER-SIN-1", nodes=5, samples=300, seed=7).data
    data.to_csv(tmp_path / "data.csv")
    arguments = [program, "learn", "data.csv", "--seed", "5", "--json", "--no-timing", "--quiet"]
    for settings, options in [
        (["preset=reference"], {"preset": "reference"}),
        (["eta=adaptive", "eta-scaler=2"], {"eta": "adaptive", "eta_scaler": 2.0}),
        (["estimator.sp=1.5", "split=half"], {"estimator__sp": 1.5, "split": "half"}),
        (["estimator=linear", "cutoff=0.01"], {"estimator": "linear", "cutoff": np.float64(0.01)}),
        (["selection.k=8"], {"selection": {"k": np.int64(8)}}),
    ]:
        sets = [word for setting in settings for word in ("--set", setting)]
        printed = subprocess.run([*arguments, *sets], cwd=tmp_path, capture_output=True, check=True, text=True).stdout
        assert nameless(npvar.learn(data, seed=5, **options).to_json(timing=False)) == nameless(printed)


def test_simulated_data_are_those_of_the_command_line(program: str, tmp_path) -> None:
    arguments = ["simulate", "ER-AGP-2", "--nodes", "5", "--samples", "50", "--seed", "9", "--out", "out"]
    subprocess.run([program, *arguments], cwd=tmp_path, check=True, capture_output=True)
    simulated = npvar.simulate("ER-AGP-2", nodes=5, samples=50, seed=9)
    simulated.data.to_csv(tmp_path / "ours.csv")
    assert (tmp_path / "ours.csv").read_bytes() == (tmp_path / "out/data.csv").read_bytes()
    assert simulated.truth.to_csv() == (tmp_path / "out/truth.csv").read_text()
    assert npvar.Graph.read(tmp_path / "out/truth.csv") == simulated.truth


def test_diagnosis_and_evaluation_are_those_of_the_command_line(program: str, tmp_path, simulated) -> None:
    simulated.data.to_csv(tmp_path / "data.csv")
    run = {"cwd": tmp_path, "check": True, "capture_output": True, "text": True}
    printed = json.loads(subprocess.run([program, "diagnose", "data.csv", "--json"], **run).stdout)
    diagnosis = npvar.diagnose(simulated.data)
    assert diagnosis.order == printed["order"]
    assert diagnosis.columns == printed["columns"]
    assert diagnosis.margins == printed["margins"]
    assert "samples of 6 columns" in str(diagnosis)
    npvar.learn(simulated.data, seed=1).write(tmp_path / "graph.json")
    simulated.truth.write(tmp_path / "truth.csv")
    arguments = [program, "evaluate", "graph.json", "--truth", "truth.csv", "--json"]
    printed = json.loads(subprocess.run(arguments, **run).stdout)
    evaluation = npvar.evaluate(tmp_path / "graph.json", tmp_path / "truth.csv")
    assert (evaluation.shd, evaluation.sid, evaluation.directed.f1, evaluation.order_recovered) == (
        printed["shd"], printed["sid"], printed["directed"]["f1"], printed["order"]["recovered"],
    )  # fmt: skip


def test_a_wrong_keyword_names_the_right_ones(array: np.ndarray) -> None:
    for options, message in [
        ({"cutof": 1}, "unknown field `cutof` .did you mean `cutoff`.*, expected one of .*`eta_scaler`.*`cutoff`"),
        ({"eta": -1}, "`eta` must be `node-by-node`, `adaptive` or a number that is not negative"),
        ({"split": "thirds"}, "unknown variant `thirds`, expected one of `none`, `half`, `fresh`"),
        ({"estimator__spp": 1}, "unknown field `spp`"),
        ({"preset": "r"}, "the presets are `paper` and `reference`"),
        ({"cutoff": 2}, "`cutoff` must be above 0 and at most 1"),
    ]:
        with pytest.raises(errors.OptionError, match=message) as raised:
            npvar.learn(array, **options)
        assert isinstance(raised.value, ValueError)
        assert raised.value.option == next(iter(options))
    with pytest.raises(errors.OptionError, match="unknown learner `np`; the learners are `npvar`"):
        npvar.learn(array, "np")
    with pytest.raises(errors.OptionError, match="expected `auto`, `drop-rows`"):
        npvar.learn(array, missing="mean")
    with pytest.raises(TypeError, match="an option cannot be a object"):
        npvar.learn(array, eta=object())
    with pytest.raises(errors.OptionError):
        npvar.simulate("ER-SIN-1", noise="cauchy")
    with pytest.raises(errors.OptionError, match="nothing"):
        npvar.simulate("nothing")


def test_an_order_can_be_given(simulated: npvar.Simulated) -> None:
    order = simulated.data.columns[::-1]
    learned = npvar.learn(simulated.data, order=order)
    assert learned.order == order and learned.steps is None
    with pytest.raises(errors.InvalidGraphError, match="not named: `X1`"):
        npvar.learn(simulated.data, order=order[:-1])
    with pytest.raises(errors.InvalidGraphError, match="names `z`"):
        npvar.learn(simulated.data, order=["z"])


def test_knowledge_is_used_and_checked(simulated: npvar.Simulated) -> None:
    edge = npvar.learn(simulated.data, "pc").edges[0]
    learned = npvar.learn(simulated.data, "pc", knowledge={"forbidden": [[edge.source, edge.target], [edge.target, edge.source]]})
    assert (edge.source, edge.target) not in [e[:2] for e in learned.edges]
    with pytest.raises(errors.KnowledgeError, match="no column `z`"):
        npvar.learn(simulated.data, "pc", knowledge={"tiers": [["z"]]})
    first = npvar.learn(simulated.data, knowledge={"sinks": [edge.source], "roots": [edge.target]})
    assert first.order is not None and edge.source not in [e[0] for e in first.edges]
    sink = npvar.learn(simulated.data, "ges", knowledge={"sinks": [edge.source]})
    assert edge.source not in [e.source for e in sink.edges]


def test_a_second_sample_is_used(simulated: npvar.Simulated) -> None:
    other = npvar.simulate("ER-SIN-1", nodes=6, samples=500, seed=3).data
    learned = npvar.learn(simulated.data, second_sample=other, eta="adaptive", seed=1)
    assert learned.learner["eta"] == "adaptive"
    with pytest.raises(errors.NpvarError):
        npvar.learn(simulated.data, second_sample=other)


def test_a_seed_is_picked_and_repeats_the_run(simulated: npvar.Simulated) -> None:
    first = npvar.learn(simulated.data, split="half")
    assert npvar.learn(simulated.data, split="half", seed=first.seed) == first
    assert npvar.learn(simulated.data, split="half").seed != first.seed


def test_the_one_line_of_the_issue_prints_something_readable() -> None:
    text = str(npvar.learn(npvar.simulate("ER-SIN-1", nodes=10, samples=1000, seed=1).data))
    assert text.startswith("10 edges between 10 nodes\n") or " edges between 10 nodes\n" in text
    assert "->" in text and "order: " in text


def test_nested_options_are_written_with_either_sign(array: np.ndarray) -> None:
    ways = [
        {"selection": {"few_valued": "spline"}},
        {"selection": {"few-valued": "spline"}},
        {"selection__few_valued": "spline"},
        {"selection.few-valued": "spline"},
    ]
    learned = [npvar.learn(array, seed=1, **options) for options in ways]
    assert learned[0].learner["selection"]["few-valued"] == "spline"
    assert learned == [learned[0]] * len(ways)


def test_evidence_is_that_of_the_command_line(program: str, tmp_path) -> None:
    data = npvar.simulate("ER-SIN-1", nodes=4, samples=200, seed=7).data
    data.to_csv(tmp_path / "data.csv")
    arguments = [program, "learn", "data.csv", "--seed", "5", "--json", "--no-timing", "--quiet"]
    for words, asked in [
        (["--evidence"], {"evidence": True}),
        (["--bootstrap", "20"], {"bootstrap": 20}),
        (["--bootstrap", "20", "--resampling", "half"], {"bootstrap": 20, "resampling": "half"}),
    ]:
        printed = subprocess.run([*arguments, *words], cwd=tmp_path, capture_output=True, check=True, text=True).stdout
        assert nameless(npvar.learn(data, seed=5, **asked).to_json(timing=False)) == nameless(printed)


def test_evidence_has_names() -> None:
    data = npvar.simulate("ER-SIN-1", nodes=4, samples=200, seed=7).data
    bare, learned = npvar.learn(data, seed=5), npvar.learn(data, seed=5, bootstrap=20)
    assert bare.curves is None and bare.bootstrap is None and bare.consensus is None
    assert {curve[:2] for curve in learned.curves} == {edge[:2] for edge in learned.edges}
    assert all(low <= fit <= high for c in learned.curves for low, fit, high in zip(c.lower, c.fit, c.upper))
    assert all(0 <= edge.frequency <= 1 for edge in learned.edges)
    assert all(set(step.standard_errors) == set(step.residual_variances) for step in learned.steps)
    assert learned.steps[0].margin["lead"] >= 0
    assert learned.consensus.nodes == learned.nodes
    assert "frequency" in str(learned) and "<th>frequency</th>" in learned._repr_html_()
    assert "frequency" not in str(bare)
    assert npvar.Learned.from_json(learned.to_json()) == learned
    assert learned.timing["evidence_seconds"] > 0 and bare.timing.get("evidence_seconds") is None
    axes = learned.plot_curve(*learned.edges[0][:2])
    assert axes.get_xlabel() == learned.edges[0].source
    with pytest.raises(ValueError, match="evidence=True"):
        bare.plot_curve("X1", "X2")


def test_evidence_that_cannot_be_had_is_refused() -> None:
    data = npvar.simulate("ER-SIN-1", nodes=4, samples=200, seed=7).data
    with pytest.raises(errors.OptionError, match="must be between 1 and"):
        npvar.learn(data, bootstrap=0)
    with pytest.raises(errors.OptionError, match="must be between 1 and"):
        npvar.learn(data, bootstrap=-1)
    with pytest.raises(TypeError):
        npvar.learn(data, bootstrap=2.5)
    with pytest.raises(errors.OptionError, match="expected `with-replacement` or `half`"):
        npvar.learn(data, bootstrap=5, resampling="thirds")
    with pytest.raises(errors.OptionError, match="ask for some with `bootstrap`"):
        npvar.learn(data, evidence=True, resampling="half")

    class Mean:
        def fit(self, z, y):
            self.mean = y.mean()
            return self

        def predict(self, z):
            return np.full(len(z), self.mean)

    with pytest.raises(errors.OptionError, match="not with one's own"):
        npvar.learn(data, estimator=Mean(), bootstrap=5)
