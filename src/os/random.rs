//! Ids and tokens that cannot be guessed.

use sha2::{Digest, Sha256};

use crate::domain::ids::OperationId;

/// A secret for one launch of an agent: 32 hexadecimal digits from the system's random source.
pub fn token() -> String {
    uuid::Uuid::new_v4().simple().to_string()
}

/// What is stored of a token (`spec/store.md` W7): its SHA-256, as hexadecimal digits.
pub fn token_hash(token: &str) -> String {
    sha256(token)
}

/// The SHA-256 of a text, as hexadecimal digits.
pub fn sha256(text: &str) -> String {
    format!("{:x}", Sha256::digest(text))
}

/// A fresh id of an agent's conversation.
pub fn conversation() -> String {
    uuid::Uuid::new_v4().to_string()
}

/// A fresh operation id; later ones sort after earlier ones.
pub fn operation() -> OperationId {
    let text = uuid::Uuid::now_v7().simple().to_string();
    OperationId::new(text).unwrap_or_else(|_| unreachable!("hexadecimal digits are a legal id"))
}

/// A number between 0 and 1 for jitter, not for secrets.
pub fn jitter() -> f64 {
    f64::from(uuid::Uuid::new_v4().as_fields().0) / f64::from(u32::MAX)
}
