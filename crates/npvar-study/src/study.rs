//! A study that is checked and has one size, and the cells it consists of.

use std::path::Path;

use npvar::learner::{Assignment, LearnerConfig};
use npvar::simulate::Setting;
use npvar::text_file::{self, WRITTEN_BYTES};
use serde::{Deserialize, Serialize};

use crate::cell::{Cell, SampleSpec, Task};
use crate::error::{Error, Result};
use crate::file::{FigureFile, StudyFile};
use crate::fingerprint::fingerprint;

/// How large a study is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Size {
    /// As the file's `[quick]` says.
    Quick,
    /// As the file says.
    Full,
}

/// A learner of a study, with every option filled in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StudyLearner {
    /// What figures and tables call it.
    pub label: String,
    /// A hash of the configuration.
    pub configuration: String,
    /// The configuration.
    pub config: LearnerConfig,
    /// It is left out of cells with more nodes.
    pub nodes_at_most: Option<usize>,
    /// It is left out of cells with more samples.
    pub samples_at_most: Option<usize>,
}

/// A checked study of one size.
#[derive(Debug, Clone, PartialEq)]
pub struct Study {
    /// The file, with its quick size taken over where that was asked for.
    pub file: StudyFile,
    /// The file's text.
    pub text: String,
    /// The size.
    pub size: Size,
    /// The learners.
    pub learners: Vec<StudyLearner>,
    /// The data sets, in the order of the table.
    pub samples: Vec<SampleSpec>,
}

impl Study {
    /// Reads a study file.
    ///
    /// # Errors
    /// [`Error::Io`] when it cannot be read, [`Error::Study`] when it says something that cannot be.
    pub fn read(path: &Path, size: Size) -> Result<Study> {
        let text = text_file::read(path, WRITTEN_BYTES).map_err(Error::io(path))?;
        Study::parse(&text, &path.display().to_string(), size)
    }

    /// Reads the text of a study file; `name` is what errors call it.
    ///
    /// ```
    /// use npvar_study::{Size, Study};
    /// let text = r#"
    ///     title = "Two learners"
    ///     settings = ["MC-SIN"]
    ///     nodes = [5]
    ///     samples = [100, 200]
    ///     seeds = 3
    ///     learners = [{ name = "npvar" }, { name = "pc", options = { alpha = 0.05 } }]
    /// "#;
    /// let study = Study::parse(text, "two.toml", Size::Full)?;
    /// assert_eq!((study.samples.len(), study.cells().len()), (6, 12));
    /// # Ok::<(), npvar_study::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Study`], a sentence that names the known keys, settings, learners or options.
    pub fn parse(text: &str, name: &str, size: Size) -> Result<Study> {
        let mut file: StudyFile = toml::from_str(text).map_err(|error| {
            let line = error.span().map(|span| 1 + text[..span.start.min(text.len())].matches('\n').count());
            let place = line.map_or_else(|| name.to_owned(), |line| format!("{name}, line {line}"));
            Error::Study { place, problem: error.message().trim().replace('\n', ", ") }
        })?;
        if size == Size::Quick {
            take_quick(&mut file);
        }
        let problem = |problem: String| Error::Study { place: name.to_owned(), problem };
        check(&file).map_err(problem)?;
        let learners = learners(&file, name)?;
        for (figure, label) in file.figures.iter().flat_map(|figure| figure.without.iter().map(move |it| (figure, it)))
        {
            if !learners.iter().any(|learner| learner.label == *label) {
                let known: Vec<String> = learners.iter().map(|learner| format!("`{}`", learner.label)).collect();
                let known = known.join(", ");
                return Err(problem(format!(
                    "figure `{}`: there is no learner labelled `{label}`; the labels are {known}",
                    figure.name
                )));
            }
        }
        let samples = samples(&file).map_err(problem)?;
        Ok(Study { text: text.to_owned(), size, learners, samples, file })
    }

    /// All cells, in the order of the table.
    pub fn cells(&self) -> Vec<Cell> {
        let of = |sample: usize| {
            let runs = move |learner: &usize| self.learners[*learner].runs_on(&self.samples[sample]);
            (0..self.learners.len()).filter(runs).map(move |learner| Cell { sample, learner })
        };
        (0..self.samples.len()).flat_map(of).collect()
    }

    /// What a worker is told about a cell.
    pub(crate) fn task(&self, cell: Cell) -> Task {
        let learner = &self.learners[cell.learner];
        Task {
            sample: self.samples[cell.sample].clone(),
            label: learner.label.clone(),
            configuration: learner.configuration.clone(),
            config: learner.config.clone(),
            time_limit: self.file.time_limit,
        }
    }
}

impl StudyLearner {
    fn runs_on(&self, sample: &SampleSpec) -> bool {
        self.nodes_at_most.is_none_or(|most| sample.nodes <= most)
            && self.samples_at_most.is_none_or(|most| sample.samples <= most)
    }
}

/// Puts the quick size in the place of the full one.
fn take_quick(file: &mut StudyFile) {
    let quick = std::mem::take(&mut file.quick);
    fn take<T>(place: &mut T, value: Option<T>) {
        if let Some(value) = value {
            *place = value;
        }
    }
    take(&mut file.settings, quick.settings);
    take(&mut file.nodes, quick.nodes);
    take(&mut file.samples, quick.samples);
    take(&mut file.noise_variances, quick.noise_variances);
    take(&mut file.p, quick.p);
    take(&mut file.seeds, quick.seeds);
    take(&mut file.time_limit, quick.time_limit);
    for learner in &mut file.learners {
        let quick = std::mem::take(&mut learner.quick);
        learner.nodes_at_most = quick.nodes_at_most.or(learner.nodes_at_most);
        learner.samples_at_most = quick.samples_at_most.or(learner.samples_at_most);
    }
}

/// What the types cannot say.
fn check(file: &StudyFile) -> Result<(), String> {
    for (key, count) in [
        ("settings", file.settings.len()),
        ("samples", file.samples.len()),
        ("learners", file.learners.len()),
        ("seeds", file.seeds),
    ] {
        if count == 0 {
            return Err(format!("`{key}` must not be empty"));
        }
    }
    twice("settings", &file.settings)?;
    twice("nodes", &file.nodes)?;
    twice("samples", &file.samples)?;
    twice("noise-variances", &file.noise_variances)?;
    twice("p", &file.p)?;
    let positive = |key: &str, value: f64| {
        let holds = value > 0.0 && value.is_finite();
        if holds { Ok(()) } else { Err(format!("`{key}` must be positive, got {value}")) }
    };
    positive("time-limit", file.time_limit)?;
    positive("memory-gib", file.memory_gib.unwrap_or(1.0))?;
    if file.jobs == Some(0) {
        return Err("`jobs` must be at least 1, got 0".to_owned());
    }
    for (key, given, taken) in [
        ("nodes", !file.nodes.is_empty(), file.settings.iter().any(|setting| setting.fixed_nodes().is_none())),
        ("noise-variances", !file.noise_variances.is_empty(), any(file, Setting::takes_noise_variance)),
        ("p", !file.p.is_empty(), any(file, Setting::takes_p)),
    ] {
        if given && !taken {
            return Err(format!("`{key}` is given, but every setting of this study fixes it or has none"));
        }
    }
    let names = |names: Vec<&String>| match names.iter().find(|name| !is_file_name(name)) {
        Some(name) => Err(format!("`{name}` cannot be the name of a file; use letters, digits, `-` and `_`")),
        None => twice("name", &names),
    };
    names(file.figures.iter().map(|figure| &figure.name).chain(file.pictures.iter().map(|p| &p.name)).collect())?;
    names(file.tables.iter().map(|table| &table.name).collect())?;
    file.figures.iter().try_for_each(check_figure)
}

fn check_figure(figure: &FigureFile) -> Result<(), String> {
    let FigureFile { name, x, panels, each, columns, .. } = figure;
    if *x == crate::Dimension::Setting {
        return Err(format!("figure `{name}`: `x` must be a number: nodes, samples, noise-variance or p"));
    }
    if x == panels || each.contains(x) || each.contains(panels) {
        return Err(format!("figure `{name}`: `x`, `panels` and `each` must differ"));
    }
    if *columns == 0 {
        return Err(format!("figure `{name}`: `columns` must be at least 1"));
    }
    Ok(())
}

fn any(file: &StudyFile, takes: fn(Setting) -> bool) -> bool {
    file.settings.iter().any(|&setting| takes(setting))
}

fn is_file_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
}

fn twice<T: PartialEq + ToString>(key: &str, values: &[T]) -> Result<(), String> {
    match values.iter().enumerate().find(|(at, value)| values[..*at].contains(value)) {
        Some((_, value)) => Err(format!("`{key}` has `{}` twice", value.to_string())),
        None => Ok(()),
    }
}

fn learners(file: &StudyFile, name: &str) -> Result<Vec<StudyLearner>> {
    let mut learners: Vec<StudyLearner> = Vec::new();
    for written in &file.learners {
        let label = written.label.clone().unwrap_or_else(|| written.name.clone());
        let place = format!("{name}, learner `{label}`");
        let options = written.options.iter();
        let options = options.map(|(key, value)| Assignment::new(key, value.clone()).written_at("options"));
        let config = LearnerConfig::resolve(&written.name, &Assignment::in_any_order(options))
            .map_err(|error| Error::Study { place: place.clone(), problem: error.to_string() })?;
        if label.trim().is_empty() || label.contains(['\n', '\r']) {
            return Err(Error::Study { place, problem: "a label is a line of text".to_owned() });
        }
        if learners.iter().any(|other| other.label == label) {
            let problem = "two learners have this label; give each a `label` of its own".to_owned();
            return Err(Error::Study { place, problem });
        }
        let text = serde_json::to_string(&config).expect("a configuration is plain data");
        learners.push(StudyLearner {
            label,
            configuration: fingerprint(&text),
            config,
            nodes_at_most: written.nodes_at_most,
            samples_at_most: written.samples_at_most,
        });
    }
    Ok(learners)
}

/// More data sets than this take the memory of the list alone.
const MOST_SAMPLES: usize = 10_000_000;

/// The data sets: by setting, d, n, σ², p, seed.
fn samples(file: &StudyFile) -> Result<Vec<SampleSpec>, String> {
    fn choices(values: &[f64], taken: bool) -> Vec<Option<f64>> {
        if values.is_empty() || !taken { vec![None] } else { values.iter().copied().map(Some).collect() }
    }
    let mut samples = Vec::new();
    for &setting in &file.settings {
        let nodes = setting.fixed_nodes().map_or_else(|| file.nodes.clone(), |fixed| vec![fixed]);
        if nodes.is_empty() {
            return Err(format!("`nodes` is missing, which {setting} needs"));
        }
        for nodes in nodes {
            for &n in &file.samples {
                for noise_variance in choices(&file.noise_variances, setting.takes_noise_variance()) {
                    for p in choices(&file.p, setting.takes_p()) {
                        let sample = |seed| SampleSpec { setting, nodes, samples: n, noise_variance, p, seed };
                        check_sample(&sample(1))?;
                        if samples.len().saturating_add(file.seeds) > MOST_SAMPLES {
                            return Err(format!("a study has at most {MOST_SAMPLES} data sets; lower `seeds`"));
                        }
                        samples.extend((1..=file.seeds).map(sample));
                    }
                }
            }
        }
    }
    Ok(samples)
}

/// Ranges are the library's to check; a tiny draw of the same kind does it.
fn check_sample(sample: &SampleSpec) -> Result<(), String> {
    if sample.samples < 2 {
        return Err(format!("`samples` must be at least 2, got {}", sample.samples));
    }
    if sample.nodes < 2 {
        return Err(format!("`nodes` must be at least 2, got {}", sample.nodes));
    }
    let tiny = SampleSpec { samples: 2, nodes: sample.setting.fixed_nodes().unwrap_or(2), ..sample.clone() };
    tiny.draw().map(drop).map_err(|error| error.to_string())
}
