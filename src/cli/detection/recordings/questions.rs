//! What is asked (`spec/agents.md` G2, G5).

use super::*;

/// G5: what is asked where, with its options.
#[test]
fn questions_are_read_with_kind_text_and_options_g5() {
    let yes_always = "Yes / Yes, and don't ask again for `touch` in this repo (/srv/w/demo) / No, and \
                      tell Copilot what to do differently (Esc to stop)";
    let colour = "Which colour should the button have?";
    for (agent, file, state, kind, text, options) in [
        (
            "aider",
            "main",
            "permission-shell",
            "permission",
            "Run shell command?",
            "(Y)es / (N)o / (D)on't ask again",
        ),
        ("aider", "main", "permission-write", "permission", "Create new file?", "(Y)es / (N)o"),
        (
            "claude-code",
            "main",
            "question",
            "question",
            colour,
            "Red / Blue / Type something. / Chat about this",
        ),
        (
            "claude-code",
            "main-no7501",
            "question",
            "question",
            colour,
            "Red / Blue / Type something. / Chat about this",
        ),
        (
            "claude-code",
            "first-start",
            "trust-dialog",
            "trust",
            "Quick safety check: Is this a project you created or one you trust?",
            "No, exit / Yes, I trust this folder",
        ),
        ("codex", "main", "question", "question", colour, "Red / Blue / None of the above"),
        (
            "codex",
            "first-start",
            "trust-dialog",
            "trust",
            "Trust this folder?",
            "Trust and continue / Back to Agent Command Center",
        ),
        (
            "copilot",
            "main",
            "trust-dialog",
            "trust",
            "Do you trust the files in this folder?",
            "Yes / Yes, and remember this folder for future sessions / No (Esc)",
        ),
        (
            "copilot",
            "main",
            "permission-shell",
            "permission",
            "Do you want to run this command?",
            yes_always,
        ),
        ("copilot", "main", "question", "question", colour, ""),
        (
            "gemini-cli",
            "first-start",
            "trust-dialog",
            "trust",
            "Do you trust the files in this folder?",
            "Trust folder (demo) / Trust parent folder (w) / Don't trust",
        ),
        (
            "gemini-cli",
            "permission",
            "permission-shell",
            "permission",
            "Allow execution of [Shell]?",
            "Allow once / Allow for this session / No, suggest changes (esc)",
        ),
        (
            "gemini-cli",
            "permission",
            "permission-write",
            "permission",
            "Apply this change?",
            "Allow once / Allow for this session / Modify with external editor / No, suggest changes (esc)",
        ),
        (
            "kimi-code",
            "main",
            "permission-shell",
            "permission",
            "Run this command?",
            "Approve once / Approve for this session / Reject / Reject with feedback",
        ),
        ("kimi-code", "main", "question", "question", colour, "Red / Blue / Other"),
        (
            "opencode",
            "permission",
            "permission-bash",
            "permission",
            "$ touch demo.txt",
            "Allow once / Allow always / Reject",
        ),
        (
            "opencode",
            "permission",
            "permission-edit",
            "permission",
            "→ Edit a.txt",
            "Allow once / Allow always / Reject",
        ),
        (
            "opencode",
            "permission",
            "question",
            "question",
            colour,
            "Red / Blue / Type your own answer",
        ),
        (
            "qwen-code",
            "permission-shell",
            "permission-shell",
            "permission",
            "Allow execution of: 'touch'?",
            "Yes, allow once / Always allow run 'touch *' commands in this project / Always allow run 'touch *' commands for this user / No, suggest changes (esc)",
        ),
    ] {
        let file = format!("{agent}/{file}.cast");
        let (recording, cast) = one(agent, &file);
        let mark = recording.states.iter().find(|mark| mark.state == state).unwrap();
        for unreported in [false, true] {
            let change = Change { unreported, ..Change::default() };
            let verdicts = play(&rules(agent), &cast, change);
            let asked = at(&verdicts, mark.at()).and_then(|verdict| verdict.question.as_ref());
            let asked = asked.unwrap_or_else(|| panic!("{file} {state}: no question"));
            let read = (asked.kind.as_str(), asked.text.as_str(), asked.options.join(" / "));
            assert_eq!(read, (kind, text, options.to_owned()), "{file} {state}");
            assert!(!asked.id.is_empty());
        }
    }
}

/// Every question that a recording shows is read, whatever it is (G5).
#[test]
fn every_question_is_read_g5() {
    for (recorded, _) in AGENTS {
        let rules = rules(recorded);
        for (recording, cast) in of(recorded) {
            let verdicts = play(&rules, &cast, Change { unreported: true, ..Change::default() });
            for mark in &recording.states {
                let waits = mark.expected(&recording.file)[0].is_waiting();
                let asked = at(&verdicts, mark.at()).and_then(|verdict| verdict.question.as_ref());
                let read = |asked: &Question| !asked.text.is_empty() && !asked.kind.is_empty();
                assert_eq!(asked.is_some_and(read), waits, "{} {}", recording.file, mark.state);
            }
        }
    }
}

/// G2: the default of a start's dialog is what is selected when it appears.
#[test]
fn the_defaults_of_start_dialogs_are_those_that_are_selected_g2() {
    let registry = registry();
    let mut seen = Vec::new();
    for (recorded, name) in AGENTS {
        let dialogs = &registry.find(name).unwrap().dialog;
        for (recording, cast) in of(recorded) {
            for (_, verdict) in play(&rules(recorded), &cast, Change::default()) {
                let Some(asked) = &verdict.question else { continue };
                let rule = verdict.activity.witness.strip_prefix("screen: ");
                let dialog = dialogs.iter().find(|dialog| Some(dialog.rule.as_str()) == rule);
                if let (Some(dialog), None) =
                    (dialog, seen.iter().find(|it| **it == (name, rule.map(str::to_owned))))
                {
                    let selected = &asked.options[asked.selected.unwrap()];
                    assert!(selected.starts_with(&dialog.default), "{} {asked:?}", recording.file);
                    seen.push((name, rule.map(str::to_owned)));
                }
            }
        }
    }
    let names: Vec<&str> = seen.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["claude", "claude", "codex", "copilot", "gemini"]);
}
