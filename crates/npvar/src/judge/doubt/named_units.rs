//! Units that columns' names tell: `weight_kg`, `height (cm)`, `temp [°C]`.

/// Units that a name can end in after `_`, `.` or a space; words that are often something else (`m`, `min`, `in`) are not here.
const UNITS: [&str; 47] = [
    "kg",
    "mg",
    "ug",
    "lb",
    "lbs",
    "oz",
    "cm",
    "mm",
    "km",
    "ft",
    "inch",
    "inches",
    "miles",
    "ml",
    "litre",
    "litres",
    "liters",
    "gallons",
    "ms",
    "sec",
    "secs",
    "seconds",
    "minutes",
    "hours",
    "hrs",
    "days",
    "weeks",
    "months",
    "years",
    "yrs",
    "usd",
    "eur",
    "gbp",
    "pct",
    "percent",
    "mmhg",
    "bpm",
    "kpa",
    "hpa",
    "kwh",
    "kw",
    "mph",
    "kmh",
    "celsius",
    "fahrenheit",
    "km2",
    "hz",
];
/// Further ones that are clear between brackets.
const BRACKETED: [&str; 15] = ["g", "m", "s", "h", "l", "w", "v", "a", "k", "%", "$", "€", "£", "°c", "°f"];

/// Two columns whose names tell different units, in words.
pub(super) fn differing(names: &[String]) -> Option<String> {
    let told: Vec<(&String, String)> = names.iter().filter_map(|name| Some((name, unit(name)?))).collect();
    let (first, unit) = told.first()?;
    let (second, _) = told.iter().find(|(_, other)| other != unit)?;
    Some(format!("by their names `{first}` and `{second}` are not measured in the same one"))
}

/// The unit that a name tells.
fn unit(name: &str) -> Option<String> {
    let name = name.trim().to_lowercase();
    let bracketed = [('(', ')'), ('[', ']')].into_iter().find_map(|(open, close)| {
        let inner = name.strip_suffix(close)?;
        Some(inner[inner.rfind(open)? + open.len_utf8()..].trim().to_owned())
    });
    if let Some(unit) = bracketed {
        let known = UNITS.contains(&unit.as_str()) || BRACKETED.contains(&unit.as_str());
        return known.then_some(unit);
    }
    let (_, last) = name.rsplit_once(['_', '.', ' '])?;
    UNITS.contains(&last).then(|| last.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn differ(names: &[&str]) -> bool {
        differing(&names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>()).is_some()
    }

    #[test]
    fn names_tell_units_that_differ() {
        assert!(differ(&["weight_kg", "age", "height_cm"]));
        assert!(differ(&["Temperature [°C]", "Pressure (kPa)"]));
    }

    #[test]
    fn names_without_units_or_with_one_tell_nothing() {
        assert!(!differ(&["sepal length (cm)", "sepal width (cm)"]));
        assert!(!differ(&["temp_min", "temp_max", "income_m", "X (1)", "rate (log)"]));
        assert!(!differ(&["weight_kg", "b"]));
    }
}
