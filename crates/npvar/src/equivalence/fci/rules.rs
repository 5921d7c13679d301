//! What colliders imply: the rules R1 to R10 of Zhang (2008, "On the completeness of orientation rules for causal discovery in the
//! presence of latent confounders and selection bias").
//!
//! A rule looks at the whole graph and says which circles become what; then all of it is done at once. Where two findings
//! disagree about a circle, which happens only when tests contradict each other, it becomes an arrowhead, the weaker claim ("is
//! no cause"). So the order of the nodes does not matter. In the comments `*` is any mark, as in the paper.

use super::paths::UncoveredPaths;
use crate::equivalence::skeleton::Skeleton;
use crate::error::Result;
use crate::graph::Mark::{self, Arrow, Circle, Tail};
use crate::graph::{Node, NodeSet, Pag};
use crate::run::Run;

/// The mark at the second node, on the edge from the first.
type Finding = (Node, Node, Mark);

type Rule = fn(&Looking<'_>) -> Result<Vec<Finding>>;

/// The rules; one group is exhausted before the next begins.
const GROUPS: [&[Rule]; 4] = [
    &[away_from_collider, away_from_ancestor, double_triangle, discriminating_path],
    &[circle_cycle],
    &[beside_undirected, beside_tail],
    &[transitive_tail, uncovered_path, two_uncovered_paths],
];

/// Replaces every circle that the rules determine.
pub(super) fn close(graph: &mut Pag, skeleton: &Skeleton, run: &Run<'_>) -> Result<()> {
    'again: loop {
        for group in GROUPS {
            let mut changed = false;
            for rule in group {
                run.check()?;
                let findings = rule(&Looking { graph, skeleton, run })?;
                changed |= apply(graph, &findings);
            }
            if changed {
                continue 'again;
            }
        }
        return Ok(());
    }
}

/// Sets the marks where there are circles, arrowheads first; whether there were any.
fn apply(graph: &mut Pag, findings: &[Finding]) -> bool {
    let mut changed = false;
    for wanted in [Arrow, Tail] {
        for &(from, at, mark) in findings.iter().filter(|finding| finding.2 == wanted) {
            if graph.has_mark(from, at, Circle) {
                graph.set_mark(from, at, mark);
                changed = true;
            }
        }
    }
    changed
}

/// What a rule sees.
struct Looking<'a> {
    graph: &'a Pag,
    skeleton: &'a Skeleton,
    run: &'a Run<'a>,
}

impl Looking<'_> {
    /// Every `(from, at)` with a circle at `at`.
    fn circles(&self) -> impl Iterator<Item = (Node, Node)> + '_ {
        let at_end =
            move |at: Node| self.around(at).filter(move |&from| self.has(from, at, Circle)).map(move |from| (from, at));
        (0..self.graph.nodes()).flat_map(at_end)
    }

    /// Every `(a, c)` with `a o-> c`.
    fn partially_directed(&self) -> impl Iterator<Item = (Node, Node)> + '_ {
        self.circles().map(|(c, a)| (a, c)).filter(|&(a, c)| self.has(a, c, Arrow))
    }

    fn around(&self, node: Node) -> impl Iterator<Item = Node> + '_ {
        self.graph.adjacents(node).ones()
    }

    fn has(&self, from: Node, at: Node, mark: Mark) -> bool {
        self.graph.has_mark(from, at, mark)
    }

    /// Whether two different nodes are not joined.
    fn apart(&self, a: Node, b: Node) -> bool {
        a != b && !self.graph.adjacent(a, b)
    }

    /// Whether the edge may point from the first to the second.
    fn may_lead(&self, from: Node, to: Node) -> bool {
        self.graph.adjacent(from, to) && !self.has(to, from, Arrow) && !self.has(from, to, Tail)
    }
}

/// R1: `a *-> b o-* c`, `a` and `c` not joined: `b -> c`.
fn away_from_collider(look: &Looking<'_>) -> Result<Vec<Finding>> {
    let holds = |&(c, b): &(Node, Node)| {
        !look.has(b, c, Tail) && look.around(b).any(|a| look.has(a, b, Arrow) && look.apart(a, c))
    };
    Ok(look.circles().filter(holds).flat_map(|(c, b)| [(c, b, Tail), (b, c, Arrow)]).collect())
}

/// R2: `a -> b *-> c` or `a *-> b -> c`, and `a *-o c`: `a *-> c`.
fn away_from_ancestor(look: &Looking<'_>) -> Result<Vec<Finding>> {
    let holds = |&(a, c): &(Node, Node)| {
        look.around(a).any(|b| {
            let arrows = look.has(a, b, Arrow) && look.has(b, c, Arrow);
            arrows && (look.has(b, a, Tail) || look.has(c, b, Tail))
        })
    };
    Ok(look.circles().filter(holds).map(|(a, c)| (a, c, Arrow)).collect())
}

/// R3: `a *-> b <-* c`, `a *-o d o-* c`, `a` and `c` not joined, `d *-o b`: `d *-> b`.
fn double_triangle(look: &Looking<'_>) -> Result<Vec<Finding>> {
    let holds = |&(d, b): &(Node, Node)| {
        let ends: Vec<Node> =
            look.around(b).filter(|&end| look.has(end, b, Arrow) && look.has(end, d, Circle)).collect();
        ends.iter().any(|&a| ends.iter().any(|&c| look.apart(a, c)))
    };
    Ok(look.circles().filter(holds).map(|(d, b)| (d, b, Arrow)).collect())
}

/// R4: a discriminating path `end … a b c` for `b`, and `b o-* c`: `b -> c` where the set that separates `end` and `c` holds `b`,
/// else `a <-> b <-> c`. Where several shortest paths disagree, tests contradict each other, and `b` is a collider.
fn discriminating_path(look: &Looking<'_>) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for (c, b) in look.circles() {
        for a in look.around(b).filter(|&a| look.has(b, a, Arrow) && look.graph.has_directed(a, c)) {
            look.run.check()?;
            let ends = ends_of_discriminating_paths(look, (a, b, c));
            let separates = |&end: &Node| look.skeleton.separating(end, c).is_some_and(|set| set.contains(&b));
            if ends.is_empty() {
                continue;
            }
            if ends.iter().all(separates) {
                findings.extend([(c, b, Tail), (b, c, Arrow)]);
            } else {
                findings.extend([(a, b, Arrow), (c, b, Arrow), (b, c, Arrow)]);
            }
        }
    }
    Ok(findings)
}

/// The far ends of the shortest paths on which every node between the end and `b` is a collider and a parent of `c`, while the
/// end is not joined to `c`.
fn ends_of_discriminating_paths(look: &Looking<'_>, (a, b, c): (Node, Node, Node)) -> Vec<Node> {
    let mut seen = NodeSet::with_capacity(look.graph.nodes());
    [a, b, c].iter().for_each(|&node| seen.insert(node));
    let mut last = vec![a];
    while !last.is_empty() {
        let (mut ends, mut next) = (Vec::new(), Vec::new());
        for &node in &last {
            for before in look.around(node).filter(|&before| look.has(before, node, Arrow)) {
                if seen.contains(before) {
                    continue;
                }
                if look.apart(before, c) {
                    seen.insert(before);
                    ends.push(before);
                } else if look.has(node, before, Arrow) && look.graph.has_directed(before, c) {
                    seen.insert(before);
                    next.push(before);
                }
            }
        }
        if !ends.is_empty() {
            return ends;
        }
        last = next;
    }
    Vec::new()
}

/// R5: `a o-o b` and an uncovered path of `o-o` between them whose second node is not joined to `b`, nor the last but one to `a`:
/// `a -- b`. Every edge of the path lies on such a circle too, and is found by itself.
fn circle_cycle(look: &Looking<'_>) -> Result<Vec<Finding>> {
    let circles = |u: Node, v: Node| look.has(u, v, Circle) && look.has(v, u, Circle);
    let mut findings = Vec::new();
    for (a, b) in look.circles().filter(|&(a, b)| circles(a, b)) {
        let paths = UncoveredPaths { graph: look.graph, step: &circles, barred: &[a], run: look.run };
        for c in look.around(a).filter(|&c| circles(a, c) && look.apart(c, b)) {
            if paths.lead((a, c), &|d, end| end == b && look.apart(d, a))? {
                findings.push((a, b, Tail));
                break;
            }
        }
    }
    Ok(findings)
}

/// R6: `a -- b o-* c`: `b --* c`.
fn beside_undirected(look: &Looking<'_>) -> Result<Vec<Finding>> {
    let holds = |&(_, b): &(Node, Node)| look.around(b).any(|a| look.has(a, b, Tail) && look.has(b, a, Tail));
    Ok(look.circles().filter(holds).map(|(c, b)| (c, b, Tail)).collect())
}

/// R7: `a --o b o-* c`, `a` and `c` not joined: `b --* c`.
fn beside_tail(look: &Looking<'_>) -> Result<Vec<Finding>> {
    let holds = |&(c, b): &(Node, Node)| {
        look.around(b).any(|a| look.has(b, a, Tail) && look.has(a, b, Circle) && look.apart(a, c))
    };
    Ok(look.circles().filter(holds).map(|(c, b)| (c, b, Tail)).collect())
}

/// R8: `a -> b -> c` or `a --o b -> c`, and `a o-> c`: `a -> c`.
fn transitive_tail(look: &Looking<'_>) -> Result<Vec<Finding>> {
    let holds = |&(a, c): &(Node, Node)| {
        look.around(a).any(|b| look.has(b, a, Tail) && !look.has(a, b, Tail) && look.graph.has_directed(b, c))
    };
    Ok(look.partially_directed().filter(holds).map(|(a, c)| (c, a, Tail)).collect())
}

/// R9: `a o-> c` and an uncovered potentially directed path `a, b, …, c`, `b` and `c` not joined: `a -> c`.
fn uncovered_path(look: &Looking<'_>) -> Result<Vec<Finding>> {
    let step = |from: Node, to: Node| look.may_lead(from, to);
    let mut findings = Vec::new();
    for (a, c) in look.partially_directed() {
        let paths = UncoveredPaths { graph: look.graph, step: &step, barred: &[a], run: look.run };
        for b in look.around(a).filter(|&b| look.apart(b, c) && look.may_lead(a, b)) {
            if paths.lead((a, b), &|_, end| end == c)? {
                findings.push((c, a, Tail));
                break;
            }
        }
    }
    Ok(findings)
}

/// R10: `a o-> c`, `b -> c <- d`, uncovered potentially directed paths from `a` to `b` and to `d` whose second nodes are different
/// and not joined: `a -> c`.
fn two_uncovered_paths(look: &Looking<'_>) -> Result<Vec<Finding>> {
    let step = |from: Node, to: Node| look.may_lead(from, to);
    let mut findings = Vec::new();
    for (a, c) in look.partially_directed() {
        let paths = UncoveredPaths { graph: look.graph, step: &step, barred: &[a, c], run: look.run };
        let parents: Vec<Node> = look.around(c).filter(|&b| b != a && look.graph.has_directed(b, c)).collect();
        // (the parent that is reached, the second node of the path)
        let mut reached = Vec::new();
        for second in look.around(a).filter(|&second| second != c && look.may_lead(a, second)) {
            for &parent in &parents {
                if paths.lead((a, second), &|_, end| end == parent)? {
                    reached.push((parent, second));
                }
            }
        }
        let two = reached.iter().any(|&(b, one)| reached.iter().any(|&(d, other)| b != d && look.apart(one, other)));
        findings.extend(two.then_some((c, a, Tail)));
    }
    Ok(findings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::EdgeKind::{
        Bidirected, Directed, PartiallyDirected, PartiallyUndirected, Undetermined, Undirected,
    };
    use crate::graph::{EdgeKind, Pdag};
    use crate::run::Seed;

    /// The findings of one rule on a graph on which no separating set matters.
    fn found(rule: Rule, nodes: usize, edges: &[(Node, Node, EdgeKind)]) -> Vec<Finding> {
        let graph = Pag::from(&Pdag::from_edges(nodes, edges.iter().copied()).expect("a graph"));
        let (skeleton, run) = (Skeleton::given(&Pdag::from(&graph)), Run::new(Seed(0)));
        rule(&Looking { graph: &graph, skeleton: &skeleton, run: &run }).expect("nothing fails")
    }

    #[test]
    fn every_rule_does_what_it_says() {
        let cases: [(Rule, usize, &[_], &[Finding]); 9] = [
            (away_from_collider, 3, &[(0, 1, PartiallyDirected), (1, 2, Undetermined)], &[(2, 1, Tail), (1, 2, Arrow)]),
            (away_from_ancestor, 3, &[(0, 1, Directed), (1, 2, Bidirected), (0, 2, Undetermined)], &[(0, 2, Arrow)]),
            (
                double_triangle,
                4,
                &[
                    (0, 1, PartiallyDirected),
                    (2, 1, PartiallyDirected),
                    (0, 3, Undetermined),
                    (2, 3, Undetermined),
                    (3, 1, Undetermined),
                ],
                &[(3, 1, Arrow)],
            ),
            (
                circle_cycle,
                4,
                &[(0, 1, Undetermined), (1, 2, Undetermined), (2, 3, Undetermined), (0, 3, Bidirected)],
                &[],
            ),
            (beside_undirected, 3, &[(0, 1, Undirected), (1, 2, PartiallyDirected)], &[(2, 1, Tail)]),
            (beside_tail, 3, &[(1, 0, PartiallyUndirected), (1, 2, PartiallyDirected)], &[(2, 1, Tail)]),
            (transitive_tail, 3, &[(0, 1, Directed), (1, 2, Directed), (0, 2, PartiallyDirected)], &[(2, 0, Tail)]),
            (
                uncovered_path,
                4,
                &[
                    (0, 1, Undetermined),
                    (1, 2, PartiallyDirected),
                    (2, 3, PartiallyDirected),
                    (0, 3, PartiallyDirected),
                ],
                &[(3, 0, Tail)],
            ),
            (
                two_uncovered_paths,
                4,
                &[
                    (0, 1, Undetermined),
                    (0, 2, Undetermined),
                    (1, 3, Directed),
                    (2, 3, Directed),
                    (0, 3, PartiallyDirected),
                ],
                &[(3, 0, Tail)],
            ),
        ];
        for (at, (rule, nodes, edges, expected)) in cases.into_iter().enumerate() {
            assert_eq!(found(rule, nodes, edges), expected, "case {at}");
        }
        let square = [(0, 1, Undetermined), (1, 2, Undetermined), (2, 3, Undetermined), (0, 3, Undetermined)];
        assert_eq!(found(circle_cycle, 4, &square).len(), 8);
    }

    #[test]
    fn a_chord_covers_a_path() {
        // R9's path 0, 1, 2, 3 with 0 and 2 joined.
        let edges = [
            (0, 1, Undetermined),
            (1, 2, PartiallyDirected),
            (2, 3, PartiallyDirected),
            (0, 3, PartiallyDirected),
            (0, 2, PartiallyDirected),
        ];
        assert!(!found(uncovered_path, 4, &edges).contains(&(3, 0, Tail)));
    }
}
