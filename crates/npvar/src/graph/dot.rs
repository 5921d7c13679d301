//! The Graphviz language: written with every name in quotes, read in the subset that plain graphs use.
//!
//! Read: one `graph` or `digraph` with node, edge and attribute statements, edge chains, comments, quoted and HTML strings.
//! Of the attributes only `dir`, `arrowhead` and `arrowtail` count, and of the shapes of arrows only `odot` (a circle mark) and
//! `none` (a tail). Not read: subgraphs and ports. In quotes, `\"` is a quote and `\\` a backslash
//! (Graphviz shows such a label as the name itself); a backslash before anything else stands for itself.

use super::builder::GraphBuilder;
use super::{EdgeKind, Mark, NamedGraph};

/// Writes every node, then every edge.
pub(super) fn to_text(named: &NamedGraph) -> String {
    let quoted = |name: &str| format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""));
    let mut text = "digraph {\n".to_owned();
    for name in named.names() {
        text += &format!("  {};\n", quoted(name));
    }
    for edge in named.edges() {
        let shape = |mark: Mark| match mark {
            Mark::Tail => "none",
            Mark::Arrow => "normal",
            Mark::Circle => "odot",
        };
        let direction = match edge.kind {
            EdgeKind::Directed => String::new(),
            EdgeKind::Undirected => " [dir=none]".to_owned(),
            EdgeKind::Bidirected => " [dir=both]".to_owned(),
            circled => {
                let (at_from, at_to) = circled.marks();
                format!(" [dir=both, arrowtail={}, arrowhead={}]", shape(at_from), shape(at_to))
            }
        };
        text += &format!("  {} -> {}{direction};\n", quoted(&edge.from), quoted(&edge.to));
    }
    text + "}\n"
}

/// Reads a graph; nodes stand in the order of their first mention.
pub(super) fn parse(text: &str) -> Result<NamedGraph, String> {
    let mut statements =
        Statements { tokens: tokens(text)?, next: 0, builder: GraphBuilder::default(), look: Look::default() };
    statements.graph()?;
    statements.builder.finish()
}

#[derive(Debug, Clone, PartialEq)]
enum Token {
    /// A bare word or number; may be a keyword.
    Word(String),
    /// A quoted or HTML string; never a keyword.
    Text(String),
    /// `->`.
    Arrow,
    /// `--`.
    Line,
    /// One of `{}[]=;,:`.
    Sign(char),
}

fn tokens(text: &str) -> Result<Vec<(usize, Token)>, String> {
    let mut tokens = Vec::new();
    let mut line = 1;
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let at = |problem: &str| format!("line {line}: {problem}");
        let (token, length) = if first.is_whitespace() {
            (None, first.len_utf8())
        } else if rest.starts_with("//") || first == '#' {
            (None, rest.find('\n').unwrap_or(rest.len()))
        } else if rest.starts_with("/*") {
            (None, rest.find("*/").ok_or_else(|| at("a comment is not closed"))? + 2)
        } else if rest.starts_with("->") {
            (Some(Token::Arrow), 2)
        } else if rest.starts_with("--") {
            (Some(Token::Line), 2)
        } else if "{}[]=;,:".contains(first) {
            (Some(Token::Sign(first)), 1)
        } else if first == '"' {
            let (string, length) = quoted(rest).ok_or_else(|| at("a quoted name is not closed"))?;
            (Some(Token::Text(string)), length)
        } else if first == '<' {
            let length = html_length(rest).ok_or_else(|| at("a `<` is not closed"))?;
            (Some(Token::Text(rest[..length].to_owned())), length)
        } else {
            let length = word_length(rest);
            if length == 0 {
                return Err(at(&format!("`{first}` does not belong here (names with such signs stand in quotes)")));
            }
            (Some(Token::Word(rest[..length].to_owned())), length)
        };
        if let Some(token) = token {
            tokens.push((line, token));
        }
        line += rest[..length].matches('\n').count();
        rest = &rest[length..];
    }
    Ok(tokens)
}

/// The string between quotes, and how much text it takes.
fn quoted(text: &str) -> Option<(String, usize)> {
    let mut string = String::new();
    let mut chars = text.char_indices().skip(1).peekable();
    while let Some((position, char)) = chars.next() {
        match (char, chars.peek().map(|&(_, next)| next)) {
            ('"', _) => return Some((string, position + 1)),
            ('\\', Some(next @ ('"' | '\\'))) => {
                string.push(next);
                chars.next();
            }
            _ => string.push(char),
        }
    }
    None
}

fn html_length(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (position, char) in text.char_indices() {
        match char {
            '<' => depth += 1,
            '>' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(position + 1);
        }
    }
    None
}

/// Letters, digits, underscores and points, with a sign in front of a number.
fn word_length(text: &str) -> usize {
    let sign = usize::from(text.starts_with('-'));
    let body = &text[sign..];
    let length = body.find(|char: char| !(char.is_alphanumeric() || char == '_' || char == '.')).unwrap_or(body.len());
    if length == 0 { 0 } else { sign + length }
}

/// The statements of a graph, read from left to right.
struct Statements {
    tokens: Vec<(usize, Token)>,
    next: usize,
    builder: GraphBuilder,
    /// What an `edge [dir=…]` statement has set.
    look: Look,
}

/// The attributes that say how an edge ends.
#[derive(Debug, Clone, Default)]
struct Look {
    dir: Option<String>,
    arrowhead: Option<String>,
    arrowtail: Option<String>,
}

impl Look {
    /// These where they are given, and the others where not.
    fn or(self, others: &Look) -> Look {
        Look {
            dir: self.dir.or_else(|| others.dir.clone()),
            arrowhead: self.arrowhead.or_else(|| others.arrowhead.clone()),
            arrowtail: self.arrowtail.or_else(|| others.arrowtail.clone()),
        }
    }

    /// The marks at the two ends; where nothing is said, those of the operator.
    fn marks(&self, operator: &Token) -> Result<(Mark, Mark), String> {
        let shape = |given: &Option<String>| match given.as_deref() {
            Some("odot") => Mark::Circle,
            Some("none") => Mark::Tail,
            _ => Mark::Arrow,
        };
        let (tail, head) = (shape(&self.arrowtail), shape(&self.arrowhead));
        match self.dir.as_deref().unwrap_or(if *operator == Token::Arrow { "forward" } else { "none" }) {
            "forward" => Ok((Mark::Tail, head)),
            "back" => Ok((tail, Mark::Tail)),
            "none" => Ok((Mark::Tail, Mark::Tail)),
            "both" => Ok((tail, head)),
            other => Err(format!("`dir` is forward, back, both or none, found `{other}`")),
        }
    }
}

impl Statements {
    fn graph(&mut self) -> Result<(), String> {
        self.skip_keyword("strict");
        if !(self.skip_keyword("digraph") || self.skip_keyword("graph")) {
            return Err(self.expected("`digraph` or `graph`"));
        }
        if matches!(self.peek(), Some(Token::Word(_) | Token::Text(_))) {
            self.next += 1;
        }
        self.sign('{')?;
        while !self.skip_sign('}') {
            self.statement()?;
        }
        if self.next < self.tokens.len() { Err(self.expected("the end, after one graph")) } else { Ok(()) }
    }

    fn statement(&mut self) -> Result<(), String> {
        if self.skip_sign(';') || self.skip_sign(',') {
            return Ok(());
        }
        if self.peek() == Some(&Token::Sign('{')) || self.skip_keyword("subgraph") {
            return Err(self.expected("a node or an edge (subgraphs are not read)"));
        }
        for keyword in ["graph", "node", "edge"] {
            if self.skip_keyword(keyword) {
                let look = self.attributes()?;
                if keyword == "edge" {
                    self.look = look.or(&self.look);
                }
                return Ok(());
            }
        }
        let line = self.line();
        let mut names = vec![self.name()?];
        if self.skip_sign('=') {
            return self.name().map(|_| ());
        }
        let mut operators = Vec::new();
        while let Some(operator @ (Token::Arrow | Token::Line)) = self.peek().cloned() {
            self.next += 1;
            operators.push(operator);
            names.push(self.name()?);
        }
        if self.peek() == Some(&Token::Sign(':')) {
            return Err(self.expected("an edge or a semicolon (ports are not read)"));
        }
        let look = self.attributes()?.or(&self.look);
        let at = |problem| format!("line {line}: {problem}");
        let nodes: Vec<_> = names.iter().map(|name| self.builder.node(name)).collect();
        for (ends, operator) in nodes.windows(2).zip(operators) {
            let (tail, head) = look.marks(&operator).map_err(at)?;
            let (from, to, kind) = EdgeKind::between(ends[0], ends[1], tail, head);
            self.builder.edge(from, to, kind).map_err(at)?;
        }
        Ok(())
    }

    /// Skips attribute lists; returns what they say of an edge's ends.
    fn attributes(&mut self) -> Result<Look, String> {
        let mut look = Look::default();
        while self.skip_sign('[') {
            while !self.skip_sign(']') {
                if self.skip_sign(';') || self.skip_sign(',') {
                    continue;
                }
                let key = self.name()?;
                if self.skip_sign('=') {
                    let value = self.name()?;
                    match key.as_str() {
                        "dir" => look.dir = Some(value),
                        "arrowhead" => look.arrowhead = Some(value),
                        "arrowtail" => look.arrowtail = Some(value),
                        _ => {}
                    }
                }
            }
        }
        Ok(look)
    }

    fn name(&mut self) -> Result<String, String> {
        match self.peek() {
            Some(Token::Word(name) | Token::Text(name)) => {
                let name = name.clone();
                self.next += 1;
                Ok(name)
            }
            _ => Err(self.expected("a name")),
        }
    }

    fn sign(&mut self, sign: char) -> Result<(), String> {
        if self.skip_sign(sign) { Ok(()) } else { Err(self.expected(&format!("`{sign}`"))) }
    }

    fn skip_sign(&mut self, sign: char) -> bool {
        let found = self.peek() == Some(&Token::Sign(sign));
        self.next += usize::from(found);
        found
    }

    fn skip_keyword(&mut self, keyword: &str) -> bool {
        let found = matches!(self.peek(), Some(Token::Word(word)) if word.eq_ignore_ascii_case(keyword));
        self.next += usize::from(found);
        found
    }

    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.next).map(|(_, token)| token)
    }

    fn line(&self) -> usize {
        self.tokens.get(self.next).or(self.tokens.last()).map_or(1, |(line, _)| *line)
    }

    fn expected(&self, what: &str) -> String {
        let found = match self.peek() {
            None => "the end of the file".to_owned(),
            Some(Token::Word(text) | Token::Text(text)) => format!("`{text}`"),
            Some(Token::Arrow) => "`->`".to_owned(),
            Some(Token::Line) => "`--`".to_owned(),
            Some(Token::Sign(sign)) => format!("`{sign}`"),
        };
        format!("line {}: expected {what}, found {found}", self.line())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_write_by_hand_is_read() {
        let text = "strict digraph \"my graph\" {\n  rankdir=LR; node [shape=circle, label=<<b>x</b>>]\n  // a comment\n\
                    a -> b -> c [color=\"red\"; penwidth=2]; c -- d\n  # another\n e -> a [dir=back]\n \"d\" -> e [dir=both] /* done */\n -1.5 }";
        let graph = parse(text).expect("a graph");
        assert_eq!(graph.names(), ["a", "b", "c", "d", "e", "-1.5"]);
        let graph = graph.graph();
        assert!(graph.has_directed(0, 1) && graph.has_directed(1, 2) && graph.has_undirected(2, 3));
        assert!(graph.has_directed(0, 4) && graph.has_bidirected(3, 4));
        assert_eq!(graph.edge_count(), 5);
    }

    #[test]
    fn an_undirected_graph_has_undirected_edges() {
        assert!(parse("graph { a -- b }").expect("a graph").graph().has_undirected(0, 1));
        assert!(parse("digraph { edge [dir=none] a -> b }").expect("a graph").graph().has_undirected(0, 1));
    }

    #[test]
    fn the_shapes_of_arrows_are_marks() {
        let graph = parse(
            "digraph { edge [arrowhead=odot] a -> b; c -> d [dir=both, arrowtail=none, arrowhead=vee]; e -> f [dir=both] }",
        );
        let edges = graph.expect("a graph").graph().edges();
        assert_eq!(edges[0], (1, 0, EdgeKind::PartiallyUndirected));
        assert_eq!(edges[1], (2, 3, EdgeKind::Directed));
        assert_eq!(edges[2], (5, 4, EdgeKind::PartiallyDirected));
    }

    #[test]
    fn problems_name_the_line() {
        let problem = |text| parse(text).expect_err("not a graph");
        assert_eq!(problem("a -> b"), "line 1: expected `digraph` or `graph`, found `a`");
        assert_eq!(problem("digraph {\n a -> ;\n}"), "line 2: expected a name, found `;`");
        assert_eq!(problem("digraph {\n a -> b"), "line 2: expected a name, found the end of the file");
        assert_eq!(problem("digraph {\n a -> a\n}"), "line 2: `a` is joined to itself");
        assert_eq!(problem("digraph { a -> b;\n b -> a }"), "line 2: two different edges join `b` and `a`");
        assert_eq!(problem("digraph { \"a -> b }"), "line 1: a quoted name is not closed");
        assert!(problem("digraph { subgraph x { a } }").contains("subgraphs are not read"));
        assert!(problem("digraph { a:n -> b }").contains("ports are not read"));
        assert!(problem("digraph { a -> b [dir=up] }").contains("found `up`"));
        assert!(problem("digraph { a $ b }").contains("`$` does not belong here"));
    }
}
