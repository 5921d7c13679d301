"""What was learned, in every form."""

from __future__ import annotations

import copy
import pickle
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import matplotlib
import networkx
import numpy as np
import pandas
import pytest

import npvar
from npvar import errors

matplotlib.use("Agg")


def mixed() -> npvar.Graph:
    return npvar.Graph.from_edges(
        ["a", "b<", "c", "d"], [("a", "b<"), ("b<", "c", "undirected"), ("a", "d", "bidirected")]
    )


def test_learned_graphs_survive_every_journey(expected: npvar.Learned, tmp_path) -> None:
    assert npvar.Learned.from_json(expected.to_json()) == expected
    assert npvar.Learned.from_json(expected.to_json()).to_json() == expected.to_json()
    assert pickle.loads(pickle.dumps(expected)) == expected
    assert copy.deepcopy(expected) == expected
    expected.write(tmp_path / "g.json")
    assert npvar.Learned.read(tmp_path / "g.json") == expected
    for ending in ("csv", "dot", "graphml"):
        expected.write(tmp_path / f"g.{ending}")
        graph = npvar.Graph.read(tmp_path / f"g.{ending}")
        assert [edge[:3] for edge in graph.edges] == [edge[:3] for edge in expected.edges]
    with pytest.raises(ValueError, match=r"ends in \.json"):
        expected.write(tmp_path / "g.bmp")


def test_pictures_are_written_in_every_format(expected: npvar.Learned, tmp_path) -> None:
    for ending, begins in (("svg", b"<svg"), ("png", b"\x89PNG"), ("pdf", b"%PDF-1.5")):
        expected.write(tmp_path / f"g.{ending}")
        assert (tmp_path / f"g.{ending}").read_bytes().startswith(begins)


def test_equality_ignores_timing_and_nothing_else(simulated: npvar.Simulated, expected: npvar.Learned) -> None:
    again = npvar.learn(simulated.data, seed=1)
    assert again == expected and again.timing != expected.timing
    assert npvar.learn(simulated.data, seed=2) != expected
    assert expected != npvar.Graph.from_json(expected.to_json())
    assert "timing" not in expected.to_json(timing=False)
    with pytest.raises(TypeError):
        hash(expected)


def test_networkx_and_back(expected: npvar.Learned) -> None:
    graph = expected.to_networkx()
    assert networkx.is_directed_acyclic_graph(graph)
    assert list(graph.nodes) == expected.nodes
    first = expected.edges[0]
    assert graph.edges[first.source, first.target]["p_value"] == first.p_value
    assert npvar.evaluate(graph, expected).shd == 0
    assert npvar.evaluate(mixed().to_networkx(), npvar.Graph.from_edges(mixed().nodes, [("a", "b<")])).shd == 2


def test_adjacency_has_a_sign_for_every_kind() -> None:
    matrix = mixed().adjacency()
    np.testing.assert_array_equal(matrix, [[0, 1, 0, 2], [0, 0, 1, 0], [0, 1, 0, 0], [2, 0, 0, 0]])
    frame = pandas.DataFrame(matrix, columns=mixed().nodes)
    truth = npvar.Graph.from_edges(mixed().nodes, [("a", "b<")])
    assert npvar.evaluate(frame, truth).estimated_edges == 3


def test_pandas_has_a_row_per_edge(expected: npvar.Learned) -> None:
    frame = expected.to_pandas()
    assert list(frame.columns) == ["source", "target", "kind", "p_value", "strength", "frequency", "weight"]
    assert len(frame) == len(expected.edges)


def test_a_notebook_shows_a_picture_and_a_table(expected: npvar.Learned) -> None:
    for graph in (expected, mixed(), npvar.Graph.from_edges(["only"], [])):
        html = graph._repr_html_()
        root = ElementTree.fromstring(html)
        assert root.find("{http://www.w3.org/2000/svg}svg") is not None
        rows = root.findall("table/tbody/tr")
        assert len(rows) == len(graph.edges)
        assert "<script" not in html and "nan" not in html.lower().replace("nano", "")
    assert "b&lt;" in mixed()._repr_html_()


def test_parents_are_drawn_left_of_children(expected: npvar.Learned) -> None:
    from npvar._draw import Arrow, places

    arrows = [Arrow(*edge[:3]) for edge in expected.edges]
    place = places(expected.nodes, arrows)
    assert all(place[edge.source][0] < place[edge.target][0] for edge in arrows)
    assert len(set(place.values())) == len(place)
    cycle = [Arrow("a", "b", "directed"), Arrow("b", "a", "directed")]
    assert len(places(["a", "b"], cycle)) == 2


def test_plots_have_every_node(expected: npvar.Learned) -> None:
    axes = expected.plot()
    assert {text.get_text() for text in axes.texts} >= set(expected.nodes)
    assert mixed().plot(axes) is axes


def test_text_for_people(expected: npvar.Learned) -> None:
    assert repr(expected).startswith("<npvar.Learned: 6 nodes, ") and "believable" in repr(expected)
    assert str(mixed()) == "3 edges between 4 nodes\n  a   ->   b<\n  a   <->  d\n  b<  --   c"


def test_the_verdict_comes_first(expected: npvar.Learned, tmp_path: Path) -> None:
    verdict = expected.verdict
    assert verdict is not None and verdict.level == "believable"
    assert str(expected).startswith(verdict.sentence) and expected._repr_html_().index("Believable") < 100
    assert verdict.next == 'npvar.learn(data, learner="npvar", bootstrap=200, seed=1)'
    rng = np.random.default_rng(1)
    weight = rng.normal(size=200)
    price = 300 * (np.sin(2 * weight) + 0.4 * rng.normal(size=200))
    frame = pandas.DataFrame({"weight": weight, "price": price})
    frame.to_csv(tmp_path / "my table.csv", index=False)
    doubtful = npvar.learn(str(tmp_path / "my table.csv"), seed=1)
    assert doubtful.verdict is not None and doubtful.verdict.level == "directions-doubtful"
    assert "different units" in doubtful.verdict.sentence
    assert doubtful.verdict.next is not None and 'learner="best-order", noise="own"' in doubtful.verdict.next
    assert doubtful == npvar.learn(frame, seed=1)
    own = eval(doubtful.verdict.next, {"npvar": npvar})
    assert own.learner["algorithm"] == "best-order"


def test_circles_survive_every_way_there_and_back(tmp_path: Path) -> None:
    edges = [("a", "b", "partially-directed"), ("c", "b", "undetermined"), ("d", "a", "partially-undirected")]
    graph = npvar.Graph.from_edges(["a", "b", "c", "d"], edges)
    assert "a  o->  b" in str(graph)
    assert graph.adjacency()[0].tolist() == [0, 2, 0, 3] and graph.adjacency()[:, 0].tolist() == [0, 3, 0, 4]
    frame = pandas.DataFrame(graph.adjacency(), columns=graph.nodes)
    for other in (frame, graph.to_networkx()):
        found = npvar.evaluate(other, graph)
        assert (found.truth, found.shd, found.estimated_edges) == ("partial-ancestral-graph", 0, 3)
        assert found.marks is not None and found.marks["right"] == found.marks["ends"] == 6
    for ending in ("csv", "dot", "graphml"):
        graph.write(tmp_path / f"g.{ending}")
        assert npvar.Graph.read(tmp_path / f"g.{ending}") == graph
    assert graph.to_svg().count("<circle") == 4
    graph.plot()


def test_the_edge_list_has_a_row_per_edge(expected: npvar.Learned, tmp_path: Path) -> None:
    expected.write(tmp_path / "g.edges.csv")
    frame = pandas.read_csv(tmp_path / "g.edges.csv")
    expected.write(tmp_path / "edges.csv")
    assert (tmp_path / "edges.csv").read_text() == (tmp_path / "g.edges.csv").read_text()
    assert list(frame.columns) == ["from", "to", "kind", "p_value", "strength"]
    assert list(frame["p_value"]) == [edge.p_value for edge in expected.edges]
    assert mixed().to_edge_list() == "from,to,kind\na,b<,directed\na,d,bidirected\nb<,c,undirected\n"


def test_what_is_no_graph_is_refused() -> None:
    with pytest.raises(errors.FormatError):
        npvar.Graph.from_json("{}")
    with pytest.raises(errors.FormatError, match="npvar-graph/1"):
        npvar.Learned.from_json(mixed().to_json())
    with pytest.raises(errors.FileError):
        npvar.Graph.read("no/such.csv")
    with pytest.raises(TypeError):
        npvar.Learned.from_edges(["a"], [])
    with pytest.raises(TypeError):
        npvar.evaluate(np.zeros((2, 3)), mixed())
    with pytest.raises(errors.InvalidGraphError, match="must be a DAG"):
        circle = npvar.Graph.from_edges(["a", "b", "c"], [("a", "b"), ("b", "c"), ("c", "a")])
        npvar.evaluate(circle, circle)


def test_the_residual_variances_are_those_at_which_nodes_joined(expected: npvar.Learned) -> None:
    variances = expected.residual_variances
    assert variances is not None and expected.steps is not None and expected.order is not None
    assert set(variances) == set(expected.nodes)
    first = expected.order[0]
    assert variances[first] == min(expected.steps[0].residual_variances.values())
