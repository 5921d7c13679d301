//! Background knowledge as a person writes it, looked up and checked: every contradiction is one sentence.

use serde::{Deserialize, Serialize};

use super::known::{Knowledge, problem};
use super::precedence::Precedence;
use crate::error::Result;
use crate::graph::{Dag, Node};

/// How many columns a message lists.
const LISTED: usize = 20;

/// Background knowledge by column names.
///
/// ```toml
/// required = [["dose", "response"]]
/// forbidden = [["response", "age"]]
/// tiers = [["age", "sex"], ["dose"], ["response"]]
/// roots = ["sex"]
/// sinks = ["response"]
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WrittenKnowledge {
    /// Edges `[from, to]` that are there.
    pub required: Vec<[String; 2]>,
    /// Edges `[from, to]` that are not.
    pub forbidden: Vec<[String; 2]>,
    /// Groups of nodes, earliest first.
    pub tiers: Vec<Vec<String>>,
    /// Nodes without parents.
    pub roots: Vec<String>,
    /// Nodes without children.
    pub sinks: Vec<String>,
}

impl Knowledge {
    /// Looks up the names and checks that the pieces agree.
    ///
    /// # Errors
    /// [`Error::Knowledge`](crate::Error::Knowledge) when a name is unknown, a node is in two tiers, or required edges are
    /// forbidden, run against the tiers, into a root or out of a sink, or form a cycle; the message names them.
    pub fn new(names: &[String], written: &WrittenKnowledge) -> Result<Self> {
        let pair = |[from, to]: &[String; 2]| -> Result<(Node, Node)> {
            if from == to {
                return Err(problem(format!("an edge joins two different columns, not `{from}` with itself")));
            }
            Ok((node(names, from)?, node(names, to)?))
        };
        let mut knowledge = Knowledge::none(names.len());
        for (place, tier) in written.tiers.iter().enumerate() {
            for name in tier {
                if let Some(earlier) = knowledge.tier[node(names, name)?].replace(place) {
                    return Err(problem(format!("`{name}` is in tier {} and in tier {}", earlier + 1, place + 1)));
                }
            }
        }
        for name in &written.roots {
            knowledge.roots.insert(node(names, name)?);
        }
        for name in &written.sinks {
            knowledge.sinks.insert(node(names, name)?);
        }
        for edge in &written.forbidden {
            let (from, to) = pair(edge)?;
            knowledge.forbidden[from].insert(to);
        }
        for edge in &written.required {
            let (from, to) = pair(edge)?;
            let shown = format!("the edge `{}` -> `{}` is required", edge[0], edge[1]);
            if knowledge.forbidden[from].contains(to) {
                return Err(problem(format!("{shown} and forbidden")));
            }
            if knowledge.against_tiers(from, to) {
                return Err(problem(format!("{shown}, but `{}` is in an earlier tier than `{}`", edge[1], edge[0])));
            }
            if knowledge.roots.contains(to) {
                return Err(problem(format!("{shown}, but `{}` is a root, which has no parents", edge[1])));
            }
            if knowledge.sinks.contains(from) {
                return Err(problem(format!("{shown}, but `{}` is a sink, which has no children", edge[0])));
            }
            knowledge.required[from].insert(to);
        }
        let required = knowledge.required_edges();
        if Dag::from_edges(names.len(), required.iter().copied()).is_err() {
            let cycle = (0..names.len()).filter_map(|start| knowledge.required_path(start, start));
            let shortest = cycle.min_by_key(Vec::len).unwrap_or_default();
            return Err(problem(format!("the required edges {} form a cycle", arrows(names, &shortest))));
        }
        let precedence = Precedence::of(
            &required,
            |from, to| knowledge.against_tiers(from, to),
            (&knowledge.roots, &knowledge.sinks),
        );
        knowledge.precedence = precedence.map_err(|(from, to)| {
            let path = knowledge.required_path(from, to).unwrap_or_default();
            let tier = |node: Node| knowledge.tier[node].map_or(0, |tier| tier + 1);
            let back = format!("lead back from tier {} to tier {}", tier(from), tier(to));
            problem(format!("the required edges {} {back}", arrows(names, &path)))
        })?;
        Ok(knowledge)
    }

    /// What is known already, and that these nodes have no parents.
    ///
    /// # Errors
    /// [`Error::Knowledge`](crate::Error::Knowledge) when an edge into one of them is required.
    pub fn with_roots(&self, names: &[String], roots: impl IntoIterator<Item = Node>) -> Result<Self> {
        let mut knowledge = self.clone();
        knowledge.roots.extend(roots);
        let required = knowledge.required_edges();
        if let Some(&(from, to)) = required.iter().find(|&&(_, to)| knowledge.roots.contains(to)) {
            let (from, to) = (&names[from], &names[to]);
            return Err(problem(format!(
                "the edge `{from}` -> `{to}` is required, but `{to}` holds words and has no causes here"
            )));
        }
        let precedence = Precedence::of(
            &required,
            |from, to| knowledge.against_tiers(from, to),
            (&knowledge.roots, &knowledge.sinks),
        );
        knowledge.precedence =
            precedence.map_err(|_| problem("the required edges run against the tiers".to_owned()))?;
        Ok(knowledge)
    }

    /// The shortest path along at least one required edge.
    fn required_path(&self, from: Node, to: Node) -> Option<Vec<Node>> {
        let mut paths = vec![vec![from]];
        for _ in 0..self.nodes() {
            let mut longer = Vec::new();
            for path in &paths {
                for next in self.required[path[path.len() - 1]].ones() {
                    let path = [path.as_slice(), &[next]].concat();
                    if next == to {
                        return Some(path);
                    }
                    // One path to each node is enough.
                    if longer.iter().all(|known: &Vec<Node>| known.last() != Some(&next)) {
                        longer.push(path);
                    }
                }
            }
            paths = longer;
        }
        None
    }
}

fn arrows(names: &[String], path: &[Node]) -> String {
    path.iter().map(|&node| format!("`{}`", names[node])).collect::<Vec<_>>().join(" -> ")
}

fn node(names: &[String], name: &str) -> Result<Node> {
    if let Some(node) = names.iter().position(|known| known == name) {
        return Ok(node);
    }
    let nearest = names.iter().map(|known| (distance(known, name), known)).min();
    if let Some((changes, known)) = nearest
        && changes <= (name.chars().count() + 1) / 3
    {
        return Err(problem(format!("there is no column `{name}`; did you mean `{known}`?")));
    }
    let mut known: Vec<String> = names.iter().take(LISTED).map(|name| format!("`{name}`")).collect();
    if names.len() > LISTED {
        known.push(format!("and {} more", names.len() - LISTED));
    }
    Err(problem(format!("there is no column `{name}`; the columns are {}", known.join(", "))))
}

/// How many letters must be put in, taken out or replaced (Levenshtein), capitals left aside.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.to_lowercase().chars().collect(), b.to_lowercase().chars().collect());
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, letter) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for j in 0..b.len() {
            let replaced = diagonal + usize::from(*letter != b[j]);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
