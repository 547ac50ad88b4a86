//! Points in time, as stored and printed: UTC with a precision of one millisecond.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Milliseconds since the Unix epoch, UTC. Printed and serialised as RFC 3339.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// The time that passed since `earlier`; zero where `earlier` lies ahead.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }

    /// This time moved forward by `by`.
    pub fn plus(self, by: Duration) -> Self {
        Self(self.0.saturating_add(i64::try_from(by.as_millis()).unwrap_or(i64::MAX)))
    }

    /// This time moved back by `by`.
    pub fn minus(self, by: Duration) -> Self {
        Self(self.0.saturating_sub(i64::try_from(by.as_millis()).unwrap_or(i64::MAX)))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::Timestamp::from_millisecond(self.0) {
            Ok(time) => write!(f, "{time:.3}"),
            Err(_) => write!(f, "{}", self.0),
        }
    }
}

impl FromStr for Timestamp {
    type Err = jiff::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse::<jiff::Timestamp>().map(|time| Self(time.as_millisecond()))
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for Timestamp {
    fn schema_name() -> Cow<'static, str> {
        "Timestamp".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "RFC 3339, UTC, to the millisecond.",
            "type": "string",
            "format": "date-time",
            "pattern": "Z$",
        })
    }
}

/// Reads `90s`, `15m`, `12h`, `7d`, `2w`; a bare number is seconds.
pub fn parse_duration(text: &str) -> Option<Duration> {
    let text = text.trim();
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, unit) = text.split_at(digits);
    let number: u64 = number.parse().ok()?;
    let seconds = match unit {
        "ms" => return Some(Duration::from_millis(number)),
        "" | "s" => 1,
        "m" => 60,
        "h" => 3_600,
        "d" => 86_400,
        "w" => 604_800,
        _ => return None,
    };
    number.checked_mul(seconds).map(Duration::from_secs)
}

/// An age in at most three cells: `now`, `5m`, `3h`, `12d`, `15w`, `2y` (`spec/look.md` section 5).
pub fn age(now: Timestamp, then: Timestamp) -> String {
    let minutes = now.since(then).as_secs() / 60;
    let (hours, days) = (minutes / 60, minutes / 1_440);
    match (minutes, hours, days) {
        (0, ..) => "now".to_owned(),
        (1..=59, ..) => format!("{minutes}m"),
        (_, 1..=23, _) => format!("{hours}h"),
        (.., 1..=99) => format!("{days}d"),
        _ if days / 7 <= 99 => format!("{}w", days / 7),
        _ => format!("{}y", (days / 365).min(99)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_rfc_3339_with_milliseconds_and_reads_it_back() {
        let time = Timestamp(1_796_000_000_123);
        assert_eq!(time.to_string().parse::<Timestamp>().unwrap(), time);
        assert!(time.to_string().contains(".123Z"), "{time}");
    }

    #[test]
    fn ages_never_exceed_three_cells() {
        let now = Timestamp(100_000_000_000_000);
        for exponent in 0..47 {
            let text = age(now, Timestamp(now.0 - (1_i64 << exponent)));
            assert!(text.len() <= 3, "{text}");
        }
        assert_eq!(age(now, Timestamp(now.0 - 3_600_000)), "1h");
        assert_eq!(age(now, now.plus(Duration::from_secs(9))), "now");
    }

    #[test]
    fn durations_are_read_with_their_unit() {
        assert_eq!(parse_duration("7d"), Some(Duration::from_hours(7 * 24)));
        assert_eq!(parse_duration("30"), Some(Duration::from_secs(30)));
        assert_eq!(parse_duration("1 day"), None);
        assert_eq!(parse_duration("99999999999999999999d"), None);
    }
}
