//! Typing into the agent, with the checks of rules K5 and K6 at the moment of the write.

use std::rc::Rc;
use std::time::Duration;

use super::Keeper;
use super::core::Core;
use crate::domain::activity::Activity;
use crate::domain::key::{Key, KeyCode, Modifiers};
use crate::domain::time::Timestamp;
use crate::runtime::keys::{KeyKind, encode_key, encode_paste};
use crate::runtime::wire::{Body, Condition, Reason};

/// Longest text that is typed at a time, in bytes.
const LONGEST: usize = 1 << 20;
/// Room for what is put around a pasted text, in bytes.
const AROUND: usize = 64;
/// How long an agent may take to read what was typed, and how long it may read nothing of it.
const DRAIN: Duration = Duration::from_secs(10);
/// How long an agent may take to show that it took a submitted text.
const TAKEN: Duration = Duration::from_millis(1_500);
/// How long nothing may be known of what an agent does before a text is typed all the same: what comes
/// before its composer is there is lost, wholly or in part.
const READY: Duration = Duration::from_secs(15);
/// How long a question may not be the one that is answered: a program that draws it again, as after each key, shows
/// it in part meanwhile.
const DRAWN: Duration = Duration::from_secs(1);
/// Between the keys of an answer: a program may take what comes at once for one unknown key.
const BETWEEN_KEYS: Duration = Duration::from_millis(60);

/// One thing to type.
pub(super) enum Text {
    /// As it is.
    Plain(String),
    /// As a paste; with Enter after it.
    Paste(String, bool),
    /// Keys by name, and the option from which they walk.
    Keys(Vec<String>, Option<usize>),
}

impl Keeper {
    /// Types, and answers. Once the first byte is out the rest follows, whoever goes away (K5).
    pub(super) async fn type_in(self: Rc<Self>, text: Text, condition: Option<Condition>) -> Body {
        if matches!(text, Text::Paste(..)) {
            self.ready().await;
        }
        let _turn = self.typing.lock().await;
        let condition = condition.as_ref();
        if let Text::Plain(text) | Text::Paste(text, _) = &text {
            if text.len() > LONGEST {
                return refused(Reason::TooLong);
            }
            if let Err(reason) = self.room(text.len() + AROUND).await {
                return refused(reason);
            }
        }
        match text {
            Text::Plain(text) => done(self.write(text.as_bytes(), condition)),
            Text::Keys(names, selected) => match parse(&names) {
                Ok(keys) if matches!(condition, Some(Condition::IfQuestion(_))) => {
                    done(self.press(&keys, selected, condition).await)
                }
                Ok(keys) => done(self.write(&self.encode(&keys), condition)),
                Err(answer) => answer,
            },
            Text::Paste(text, false) => done(self.write(&self.paste(&text), condition)),
            Text::Paste(text, true) => {
                self.submit(&text, condition).await.unwrap_or_else(|answer| answer)
            }
        }
    }

    /// Waits until it is known what the agent does, where its screen can be read at all.
    async fn ready(&self) {
        if self.spec.rules.rule.is_empty() {
            return;
        }
        loop {
            let judged = self.judged.notified();
            let due = {
                let core = self.core.borrow();
                let activity = &core.facts().activity;
                let unknown = activity.value == Activity::Unknown && core.exit().is_none();
                unknown.then(|| activity.since.plus(READY))
            };
            let left = due.map(|due| due.since(self.now())).filter(|left| !left.is_zero());
            let Some(left) = left else { return };
            // Nobody is told of a time that passes.
            let _passed = tokio::time::timeout(left, judged).await;
        }
    }

    /// Clears, pastes, waits, presses Enter, and looks whether the agent took it (G2).
    async fn submit(&self, text: &str, condition: Option<&Condition>) -> Result<Body, Body> {
        let rule = &self.spec.submit;
        let clear = parse(&rule.clear)?;
        if !clear.is_empty() {
            self.write(&self.encode(&clear), condition)?;
            self.drained().await?;
        }
        self.write(&self.paste(text), condition)?;
        self.drained().await?;
        tokio::time::sleep(Duration::from_millis(rule.pause_ms)).await;
        let enter = self.encode(&[Key { code: KeyCode::Enter, mods: Modifiers::NONE }]);
        // an agent at work takes it later, and one that nobody can see may have taken it
        let activity = self.core.borrow().facts().activity.value;
        let verifiable = matches!(activity, Activity::Idle | Activity::Error);
        let pressed_at = self.now();
        self.write(&enter, condition)?;
        if !rule.verify || !verifiable {
            return Ok(Body::Done { verified: None });
        }
        if self.was_taken(pressed_at).await {
            return Ok(Body::Done { verified: Some(true) });
        }
        self.write(&enter, Some(condition.unwrap_or(&Condition::UnlessQuestion)))?;
        Ok(Body::Done { verified: Some(self.was_taken(pressed_at).await) })
    }

    /// Presses keys one after another, each only while the condition holds, and where they walk from
    /// the option `selected`, once the walk has come that far: an arrow that was not taken, or an
    /// operator who moves the cursor too, must not choose another option (K6).
    async fn press(
        &self,
        keys: &[Key],
        mut selected: Option<usize>,
        condition: Option<&Condition>,
    ) -> Result<(), Body> {
        for (at, key) in keys.iter().enumerate() {
            if at > 0 {
                self.drained().await?;
                tokio::time::sleep(BETWEEN_KEYS).await;
            }
            let option = selected;
            if let Some(option) = option {
                selected = match key.code {
                    KeyCode::Down => Some(option + 1),
                    // Where a list goes round from its first option the walk ends here.
                    KeyCode::Up => Some(option.saturating_sub(1)),
                    _ => None,
                };
            }
            let bytes = self.encode(std::slice::from_ref(key));
            self.write_to_shown(&bytes, condition, option, at > 0).await?;
        }
        Ok(())
    }

    /// Writes once the question is shown that is meant, with this option selected, where that is soon. What
    /// is `under_way` is waited for; an answer to what is no longer asked is refused at once.
    async fn write_to_shown(
        &self,
        bytes: &[u8],
        condition: Option<&Condition>,
        option: Option<usize>,
        under_way: bool,
    ) -> Result<(), Body> {
        let write = || {
            // Nothing happens between the look and the write.
            if self.selects(option) {
                return self.write(bytes, condition);
            }
            let question = self.core.borrow().facts().question.clone();
            Err(Body::QuestionChanged { question })
        };
        let shown = async {
            loop {
                let judged = self.judged.notified();
                let written = write();
                let changed = matches!(written, Err(Body::QuestionChanged { .. }));
                let patient = || under_way || !self.selects(option) || self.core.borrow().doubts();
                if !(changed && patient()) {
                    return written;
                }
                judged.await;
            }
        };
        let limit = if option.is_some() { TAKEN } else { DRAWN };
        match tokio::time::timeout(limit, shown).await {
            Ok(written) => written,
            Err(_) => write(),
        }
    }

    /// Whether this option is the selected one, as far as a question is shown.
    fn selects(&self, option: Option<usize>) -> bool {
        let mut core = self.core.borrow_mut();
        self.look(&mut core);
        let question = core.facts().question.as_ref();
        question.is_none_or(|question| option.is_none() || question.selected == option)
    }

    fn paste(&self, text: &str) -> Vec<u8> {
        encode_paste(text, &self.core.borrow().screen().modes())
    }

    fn encode(&self, keys: &[Key]) -> Vec<u8> {
        let modes = self.core.borrow().screen().modes();
        keys.iter().flat_map(|key| encode_key(key, KeyKind::Press, &modes)).collect()
    }

    /// Checks and writes in one go.
    fn write(&self, bytes: &[u8], condition: Option<&Condition>) -> Result<(), Body> {
        let mut core = self.core.borrow_mut();
        self.look(&mut core);
        if core.stopping {
            return Err(refused(Reason::Stopping));
        }
        if core.exit().is_some() {
            return Err(refused(Reason::Exited));
        }
        check(&core, condition)?;
        core.type_bytes(bytes).map_err(refused)?;
        self.input.notify_one();
        Ok(())
    }

    /// Waits until so many bytes can wait for the agent.
    ///
    /// # Errors
    /// The agent reads nothing.
    pub(super) async fn room(&self, bytes: usize) -> Result<(), Reason> {
        loop {
            let drained = self.drained.notified();
            if self.core.borrow().has_room(bytes) {
                return Ok(());
            }
            tokio::time::timeout(DRAIN, drained).await.map_err(|_| Reason::Full)?;
        }
    }

    /// Waits until the agent has read everything.
    async fn drained(&self) -> Result<(), Body> {
        let all = async {
            loop {
                let drained = self.drained.notified();
                if self.core.borrow().next_input().is_none() {
                    return;
                }
                drained.await;
            }
        };
        tokio::time::timeout(DRAIN, all).await.map_err(|_| refused(Reason::Full))
    }

    async fn was_taken(&self, since: Timestamp) -> bool {
        let taken = async {
            loop {
                let judged = self.judged.notified();
                {
                    let core = self.core.borrow();
                    let activity = core.facts().activity.value;
                    if core.worked_since(since) || activity.is_waiting() || core.exit().is_some() {
                        return;
                    }
                }
                judged.await;
            }
        };
        tokio::time::timeout(TAKEN, taken).await.is_ok()
    }
}

/// Rules K5 and K6. Bytes that still wait to be read might meet another question than the one that is
/// shown now, so a condition also asks that there are none.
fn check(core: &Core, condition: Option<&Condition>) -> Result<(), Body> {
    let Some(condition) = condition else {
        return Ok(());
    };
    if core.next_input().is_some() {
        return Err(refused(Reason::Full));
    }
    let question = &core.facts().question;
    match condition {
        Condition::UnlessQuestion
            if question.is_some() || core.facts().activity.value.is_waiting() =>
        {
            Err(refused(Reason::QuestionShown))
        }
        Condition::IfQuestion(id)
            if core.doubts() || question.as_ref().is_none_or(|shown| shown.id != *id) =>
        {
            Err(Body::QuestionChanged { question: question.clone() })
        }
        _ => Ok(()),
    }
}

fn parse(names: &[String]) -> Result<Vec<Key>, Body> {
    let keys = names.iter().map(|name| name.parse::<Key>()).collect::<Result<_, _>>();
    keys.map_err(|error| Body::Refused { reason: Reason::Illegal, message: error.to_string() })
}

fn done(written: Result<(), Body>) -> Body {
    written.map_or_else(|answer| answer, |()| Body::Done { verified: None })
}

/// The refusal for this reason.
pub(super) fn refused(reason: Reason) -> Body {
    Body::Refused { reason, message: reason.text().to_owned() }
}
