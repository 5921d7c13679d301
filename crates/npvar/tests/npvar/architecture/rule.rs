//! Who may know whom: the table of `ARCHITECTURE.md`, and what a tree of sources does against it.

use std::collections::{BTreeMap, BTreeSet};

use super::tree::Tree;

/// The head of the table.
const HEAD: &str = "| module | what it holds | knows |";

/// What every other module may know without the table's saying so.
const KNOWN_TO_ALL: [&str; 2] = ["error", "run"];

/// For every module the modules it may know, in the table's order.
pub(crate) struct Rule {
    rows: Vec<(String, Vec<String>)>,
}

impl Rule {
    /// Reads the table from a text in Markdown. A row names one or more modules and what they may know.
    ///
    /// # Panics
    /// Where there is no table, or a row names a module that no row above it has: so the table has no circle.
    pub(crate) fn read(markdown: &str) -> Self {
        let mut lines = markdown.lines().skip_while(|line| line.trim() != HEAD);
        assert!(lines.next().is_some(), "no table `{HEAD}`");
        let mut rows: Vec<(String, Vec<String>)> = Vec::new();
        for line in lines.skip(1).take_while(|line| line.starts_with('|')) {
            let cells: Vec<&str> = line.trim().trim_matches('|').split('|').collect();
            let knows = quoted(cells[2]);
            for known in &knows {
                let above = rows.iter().any(|(module, _)| module == known);
                assert!(above, "`{known}` stands in no row above the one of {}", cells[0].trim());
            }
            rows.extend(quoted(cells[0]).into_iter().map(|module| (module, knows.clone())));
        }
        Self { rows }
    }

    pub(crate) fn modules(&self) -> Vec<&str> {
        self.rows.iter().map(|(module, _)| module.as_str()).collect()
    }

    fn allows(&self, from: &str, to: &str) -> bool {
        let listed = |(module, knows): &(String, Vec<String>)| module == from && knows.iter().any(|known| known == to);
        from == to || (KNOWN_TO_ALL.contains(&to) && !KNOWN_TO_ALL.contains(&from)) || self.rows.iter().any(listed)
    }

    /// The uses that the table does not allow, each with its file and line.
    pub(crate) fn breaches(&self, tree: &Tree) -> Vec<String> {
        let all = tree.knowledge();
        let outside = all.iter().filter(|knows| !knows.from.module.is_empty() && !knows.to.module.is_empty());
        let breaches = outside.filter(|knows| !self.allows(&knows.from.module[0], &knows.to.module[0])).map(|knows| {
            let (file, to) = (&knows.from.file, &knows.to.file);
            format!("{file}:{}: `{}` may not know `{}` ({to})", knows.line, knows.from.module[0], knows.to.module[0])
        });
        breaches.collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// The pairs of modules that the table allows and no source uses.
    pub(crate) fn unused(&self, tree: &Tree) -> Vec<String> {
        let all = tree.knowledge();
        let used: BTreeSet<(&str, &str)> = all
            .iter()
            .filter(|knows| !knows.from.module.is_empty() && !knows.to.module.is_empty())
            .map(|knows| (knows.from.module[0].as_str(), knows.to.module[0].as_str()))
            .collect();
        let pairs = self.rows.iter().flat_map(|(from, knows)| knows.iter().map(move |to| (from.as_str(), to.as_str())));
        pairs.filter(|pair| !used.contains(pair)).map(|(from, to)| format!("`{from}` does not know `{to}`")).collect()
    }
}

fn quoted(cell: &str) -> Vec<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// The circles of files in one module that know each other, one for every group of them: `a.rs → b.rs → a.rs`.
pub(crate) fn circles(tree: &Tree) -> Vec<String> {
    let mut knows: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for pair in tree.knowledge() {
        let inside = pair.from.module.first() == pair.to.module.first();
        if inside && !pair.shown && !pair.module {
            knows.entry(pair.from.file.clone()).or_default().insert(pair.to.file.clone());
        }
    }
    let mut circles = Vec::new();
    let mut seen = BTreeSet::new();
    for start in knows.keys() {
        if seen.contains(start) {
            continue;
        }
        if let Some(circle) = shortest_circle(&knows, start) {
            seen.extend(circle.iter().cloned());
            circles.push(circle.join(" → "));
        }
    }
    circles
}

/// The shortest way from a file back to itself.
fn shortest_circle(knows: &BTreeMap<String, BTreeSet<String>>, start: &str) -> Option<Vec<String>> {
    let mut from: BTreeMap<&str, &str> = BTreeMap::new();
    let mut ways = std::collections::VecDeque::from([start]);
    while let Some(file) = ways.pop_front() {
        for next in knows.get(file).into_iter().flatten() {
            if next == start {
                let mut circle = vec![start.to_owned()];
                let mut back = file;
                while back != start {
                    circle.push(back.to_owned());
                    back = from[back];
                }
                circle.push(start.to_owned());
                circle.reverse();
                return Some(circle);
            }
            if !from.contains_key(next.as_str()) {
                from.insert(next, file);
                ways.push_back(next);
            }
        }
    }
    None
}
