//! All files of a library, and which file a name comes from.

use std::collections::BTreeMap;
use std::path::Path as FilePath;

use super::source::{Path, Source};

pub(crate) struct Tree {
    files: BTreeMap<Vec<String>, Source>,
}

/// One file knows another.
#[derive(Debug)]
pub(crate) struct Knows<'a> {
    pub(crate) from: &'a Source,
    pub(crate) to: &'a Source,
    pub(crate) line: usize,
    /// Whether the name is only shown to others, in a folder's `mod.rs`.
    pub(crate) shown: bool,
    /// Whether the name is a module, through which nothing is known yet.
    pub(crate) module: bool,
}

impl Tree {
    /// The files with their texts; those that are for tests only are left out.
    pub(crate) fn new<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let sources = files.into_iter().map(|(file, text)| Source::new(file, text));
        let mut files: BTreeMap<_, _> = sources.map(|source| (source.module.clone(), source)).collect();
        let for_tests: Vec<Vec<String>> = files
            .values()
            .flat_map(|source| {
                source.test_modules.iter().map(|child| [&source.module[..], std::slice::from_ref(child)].concat())
            })
            .collect();
        files.retain(|module, _| !for_tests.iter().any(|tests| module.starts_with(tests)));
        Self { files }
    }

    /// The sources below a folder.
    pub(crate) fn read(root: &FilePath) -> Self {
        let mut texts = Vec::new();
        let mut folders = vec![root.to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|extension| extension == "rs") {
                    let place = path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
                    texts.push((place, std::fs::read_to_string(&path).unwrap()));
                }
            }
        }
        Self::new(texts.iter().map(|(file, text)| (file.as_str(), text.as_str())))
    }

    /// The modules directly below `lib.rs`.
    pub(crate) fn modules(&self) -> Vec<&str> {
        self.files[&Vec::new()].children.iter().map(String::as_str).collect()
    }

    /// Everything that files know of other files. A file knows the modules it declares.
    pub(crate) fn knowledge(&self) -> Vec<Knows<'_>> {
        let mut all = Vec::new();
        for from in self.files.values() {
            let mut add = |path: &Path, shown: bool| {
                let found = self.find(from, &path.names, 0);
                let own = ["crate", "super"].contains(&path.names[0].as_str());
                assert!(found.is_some() || !own, "{}:{}: where is {:?}?", from.file, path.line, path.names);
                if let Some((to, module)) = found.filter(|(to, _)| to.file != from.file) {
                    all.push(Knows { from, to, line: path.line, shown, module });
                }
            };
            for import in &from.imports {
                add(&import.path, import.shown && from.is_facade());
            }
            from.paths.iter().for_each(|path| add(path, false));
            for child in &from.children {
                let to = self.child(from, child).unwrap_or_else(|| panic!("{}: no file for `mod {child}`", from.file));
                all.push(Knows { from, to, line: 0, shown: false, module: false });
            }
        }
        all
    }

    fn child(&self, of: &Source, name: &str) -> Option<&Source> {
        self.files.get(&[&of.module[..], &[name.to_owned()]].concat())
    }

    /// The file that defines what a path in `from` names, and whether that is the module itself; `None` for other libraries.
    fn find<'a>(&'a self, from: &'a Source, names: &[String], depth: usize) -> Option<(&'a Source, bool)> {
        assert!(depth < 32, "{}: `{}` leads in a circle", from.file, names.join("::"));
        let (first, rest) = names.split_first()?;
        let (mut source, mut rest) = match first.as_str() {
            "crate" => (&self.files[&Vec::new()], rest),
            "self" => (from, rest),
            "super" => (&self.files[&from.module[..from.module.len() - 1]], rest),
            _ => return self.find_within(from, names, depth),
        };
        while let Some((first, further)) = rest.split_first()
            && first == "super"
        {
            source = &self.files[&source.module[..source.module.len() - 1]];
            rest = further;
        }
        if rest.is_empty() { Some((source, true)) } else { self.find_within(source, rest, depth) }
    }

    /// The same for names that begin in the scope of `source`.
    fn find_within<'a>(&'a self, source: &'a Source, names: &[String], depth: usize) -> Option<(&'a Source, bool)> {
        let (first, rest) = names.split_first()?;
        if first == "*" {
            return Some((source, false));
        }
        if let Some(child) = self.child(source, first) {
            // `sid` may stand for the module and for the function of the same name in it.
            let is_module = !child.items.contains(first);
            return if rest.is_empty() { Some((child, is_module)) } else { self.find_within(child, rest, depth) };
        }
        if source.items.contains(first) {
            return Some((source, false));
        }
        let named = source.imports.iter().find(|import| import.name == *first);
        if let Some(import) = named {
            if import.path.names == names {
                return None; // `use serde;`: the name of another library
            }
            return self.find(source, &[&import.path.names[..], rest].concat(), depth + 1);
        }
        let own = |start: &str| ["crate", "self", "super"].contains(&start) || self.child(source, start).is_some();
        let mut globs = source.imports.iter().filter(|import| import.name == "*" && own(&import.path.names[0]));
        let through_glob = globs.find_map(|import| {
            let above = &import.path.names[..import.path.names.len() - 1];
            let (holder, module) = self.find(source, above, depth + 1)?;
            if module && holder.file != source.file { self.find_within(holder, names, depth + 1) } else { None }
        });
        through_glob.or_else(|| source.has_macros.then_some((source, false)))
    }
}
