//! What the agents of the demo play.

/// One session of the demo.
pub(crate) struct Scene {
    /// Project; outside projects where there is none.
    pub(crate) project: Option<&'static str>,
    /// Title.
    pub(crate) title: &'static str,
    /// First prompt.
    pub(crate) prompt: &'static str,
    /// What the agent plays.
    pub(crate) script: &'static str,
    /// Pinned.
    pub(crate) pinned: bool,
    /// The session above it, by its place in the list.
    pub(crate) parent: Option<usize>,
    /// What is done with it once it runs.
    pub(crate) then: Then,
}

/// What is done with a session of the demo once it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Then {
    /// Nothing: it goes on.
    Goes,
    /// It is stopped.
    Stopped,
    /// Its work is declared complete.
    Done,
    /// It goes to the trash.
    Deleted,
}

/// Answers prompts for ever.
const TALK: &str = "
forever
prompt
print * Reading src/cart.rs
work 2
print * Writing the change
work 2
print Done. All tests pass.
end";

/// Works for ever.
const WORK: &str = "
print > {prompt}
print
status working Running a command
forever
print * cargo test -p cart
work 4
print   test result: ok. 14 passed; 0 failed
print * Reading src/vat.rs
work 6
print   32 lines
end";

/// Asks for a permission, then works and talks.
const PERMISSION: &str = "
print > {prompt}
work 1
print * I use integer cents everywhere.
forever
ask permission cargo test -p cart | Yes | Yes, and do not ask again | No
print * Running the tests
work 5
print   test result: ok. 14 passed; 0 failed
prompt
end";

/// Asks a question.
const QUESTION: &str = "
print > {prompt}
work 1
forever
ask question Which rounding do the invoices need? | Half up | Half even | Leave it as it is
print * Understood.
work 4
prompt
end";

/// Works a while and finishes.
const FINISHES: &str = "
print > {prompt}
work 3
write notes.md what was found
print * Wrote notes.md
forever
prompt
work 3
print Done.
end";

/// Runs into an error of its service.
const FAILS: &str = "
print > {prompt}
work 1
print ! The service answered 529: overloaded
status error overloaded
wait
forever
prompt
end";

/// Ends by itself.
const ENDS: &str = "
print > {prompt}
work 1
print Nothing to do.
exit 0";

/// Prints without end.
const PRINTS: &str = "
status working Running a command
rate 400";

const fn scene(
    project: &'static str,
    title: &'static str,
    prompt: &'static str,
    script: &'static str,
) -> Scene {
    Scene {
        project: Some(project),
        title,
        prompt,
        script,
        pinned: false,
        parent: None,
        then: Then::Goes,
    }
}

/// The sessions of the demo.
pub(crate) const SCENES: [Scene; 15] = [
    scene("shop", "Fix cart rounding", "Fix the rounding in cart totals.", PERMISSION),
    scene("shop", "Refactor the price engine", "Refactor the price engine.", WORK),
    Scene {
        parent: Some(1),
        ..scene("shop", "Bench the old engine", "Measure the old price engine.", WORK)
    },
    Scene {
        parent: Some(1),
        ..scene("shop", "Write its tests", "Test the new price engine.", FINISHES)
    },
    scene("shop", "VAT labels on invoices", "Label the VAT on invoices.", QUESTION),
    Scene {
        then: Then::Done,
        ..scene("shop", "Upgrade dependencies", "Upgrade dependencies.", TALK)
    },
    Scene { pinned: true, ..scene("api", "Watch the deployment", "Watch the deployment.", WORK) },
    scene("api", "Rate limits by key", "Limit rates by key.", FAILS),
    scene("api", "Read the slow query log", "Read the slow query log.", PRINTS),
    Scene {
        then: Then::Stopped,
        ..scene("api", "Try the new router", "Try the new router.", TALK)
    },
    scene("api", "Split the session table", "Split the session table.", FINISHES),
    scene("docs", "Describe the import", "Describe the import.", ENDS),
    scene("docs", "Pictures of the new form", "Take pictures of the new form.", TALK),
    Scene { then: Then::Deleted, ..scene("docs", "An idea that did not work", "Try it.", TALK) },
    Scene { project: None, ..scene("", "What is a monad?", "What is a monad?", TALK) },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::scripted;

    #[test]
    fn every_script_can_be_played_and_parents_come_first() {
        for (at, scene) in SCENES.iter().enumerate() {
            assert_eq!(scripted::check(scene.script), Ok(()), "{}", scene.title);
            assert!(scene.parent.is_none_or(|parent| parent < at));
        }
    }
}
