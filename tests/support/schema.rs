//! What is printed is held against `assets/schema.json`, strictly: a field that the schema does not
//! name is as wrong as one that is missing.

use std::sync::LazyLock;

use serde_json::Value;

/// The schema of every output by its command.
static SCHEMA: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("../../assets/schema.json")).unwrap());

/// Checks what a command printed on both outputs, if it was told to print JSON.
///
/// # Panics
/// It is not what the schema says.
#[track_caller]
pub(crate) fn check_output(args: &[&str], stdout: &str, stderr: &str) {
    let own = args.split(|arg| *arg == "--").next().unwrap_or_default();
    if !own.contains(&"--json") {
        return;
    }
    if let Some(output) = output(own) {
        for value in serde_json::Deserializer::from_str(stdout).into_iter::<Value>() {
            let value = value.unwrap_or_else(|error| panic!("{own:?}: {error}: {stdout}"));
            assert_valid(&output, &value);
        }
    }
    if !stderr.is_empty() {
        let error = serde_json::from_str(stderr);
        assert_valid("error", &error.unwrap_or_else(|_| panic!("{own:?}: {stderr}")));
    }
}

/// The name of what a command line prints; none where its command prints no JSON.
fn output(args: &[&str]) -> Option<String> {
    let outputs = SCHEMA["properties"].as_object().unwrap();
    let is_first = |word: &str| outputs.keys().any(|name| name.split(' ').next() == Some(word));
    let at = args.iter().position(|arg| is_first(arg))?;
    if args.contains(&"--dry-run") && args[at] != "restore" {
        return Some("plan".to_owned());
    }
    let mut longer = args[at + 1..].iter().map(|word| format!("{} {word}", args[at]));
    let known = longer.find(|name| outputs.contains_key(name));
    known.or_else(|| outputs.contains_key(args[at]).then(|| args[at].to_owned()))
}

/// # Panics
/// `value` is not what the schema says of `output`.
#[track_caller]
pub(crate) fn assert_valid(output: &str, value: &Value) {
    let schema = &SCHEMA["properties"][output];
    assert!(schema.is_object(), "no output is called {output}");
    if let Err(problem) = check(schema, value) {
        panic!("{output}{problem} in {value:#}");
    }
}

/// The keywords that the generated schema uses.
fn check(schema: &Value, value: &Value) -> Result<(), String> {
    if let Some(reference) = schema["$ref"].as_str() {
        let name = reference.strip_prefix("#/$defs/").unwrap();
        check(&SCHEMA["$defs"][name], value)?;
    }
    for choice in ["anyOf", "oneOf"] {
        if let Some(choices) = schema[choice].as_array() {
            let fits = choices.iter().any(|one| check(one, value).is_ok());
            fits.then_some(()).ok_or_else(|| format!(": none of the choices is {value}"))?;
        }
    }
    let is = |test: bool, keyword: &str| {
        test.then_some(()).ok_or_else(|| format!(": {value} breaks {keyword} {}", schema[keyword]))
    };
    if let Some(constant) = schema.get("const") {
        is(constant == value, "const")?;
    }
    if let Some(words) = schema["enum"].as_array() {
        is(words.contains(value), "enum")?;
    }
    match &schema["type"] {
        Value::String(name) => is(has_type(name, value), "type")?,
        Value::Array(names) => {
            is(names.iter().any(|name| has_type(name.as_str().unwrap(), value)), "type")?;
        }
        _ => {}
    }
    if let (Some(least), Some(number)) = (schema["minimum"].as_f64(), value.as_f64()) {
        is(number >= least, "minimum")?;
    }
    if let (Some("date-time"), Some(text)) = (schema["format"].as_str(), value.as_str()) {
        is(text.parse::<jiff::Timestamp>().is_ok() && text.ends_with('Z'), "format")?;
    }
    if let (Some(one), Some(items)) = (schema.get("items"), value.as_array()) {
        for (index, item) in items.iter().enumerate() {
            check(one, item).map_err(|problem| format!("[{index}]{problem}"))?;
        }
    }
    if let (Some(fields), Some(object)) = (schema["properties"].as_object(), value.as_object()) {
        for name in schema["required"].as_array().into_iter().flatten() {
            let name = name.as_str().unwrap();
            object.get(name).ok_or_else(|| format!(": {name} is missing"))?;
        }
        for (name, one) in object {
            let field = fields.get(name).ok_or_else(|| format!(": {name} is not in the schema"))?;
            check(field, one).map_err(|problem| format!(".{name}{problem}"))?;
        }
    }
    Ok(())
}

fn has_type(name: &str, value: &Value) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    }
}
