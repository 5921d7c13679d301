"""`npvar.compare`, and the learner it chooses."""

import json

import pytest

import npvar


@pytest.fixture(scope="module")
def simulated():
    return npvar.simulate("ER-LIN-1", nodes=4, samples=300, seed=3)


@pytest.fixture(scope="module")
def comparison(simulated):
    return npvar.compare(simulated.data, seed=1, budget=5)


def test_every_learner_and_assumption_is_a_row(comparison):
    names = [row.name for row in comparison.learners]
    assert {"npvar", "direct-lingam", "cam", "pc"} <= set(names) and len(set(names)) == len(names)
    assert comparison.chosen in names
    for row in comparison.learners:
        assert (row.graph is not None) == (row.status == "learned")
        assert row.sentence
    assert [row.name for row in comparison.assumptions][:2] == ["linear", "additive"]
    assert comparison.consensus.nodes == ["X1", "X2", "X3", "X4"]
    assert set(comparison.voices) <= set(names)


def test_it_reads_back_and_repeats(simulated, comparison):
    assert npvar.Comparison.from_json(comparison.to_json()) == comparison
    again = json.loads(npvar.compare(simulated.data, seed=1, budget=5, threads=1).to_json())
    first = json.loads(comparison.to_json())
    for rows in (again["learners"], first["learners"]):
        for row in rows:
            row.pop("seconds", None)
    assert again == first
    with pytest.raises(ValueError, match="npvar-compare/1"):
        npvar.Comparison.from_json("{}")


def test_its_text_names_the_chosen_learner_and_the_evidence(comparison):
    text = str(comparison)
    assert comparison.chosen in text.splitlines()[0]
    assert "equal-variances: " in text and "consensus of " in text


def test_auto_learns_with_the_chosen_learner_and_says_why(simulated, comparison):
    learned = npvar.learn(simulated.data, learner="auto", seed=1)
    assert learned.learner["algorithm"] == comparison.chosen.split()[0]
    assert learned.diagnostics[0].code == "chosen-learner"
    with pytest.raises(npvar.errors.OptionError, match="name a learner"):
        npvar.learn(simulated.data, learner="auto", cutoff=0.1)
    with pytest.raises(npvar.errors.OptionError, match="order"):
        npvar.learn(simulated.data, learner="auto", order=["X1", "X2", "X3", "X4"])


def test_a_budget_is_a_time(simulated):
    with pytest.raises(npvar.errors.OptionError, match="budget"):
        npvar.compare(simulated.data, budget=0)
