//! The protocol between a keeper and those who talk to it (`spec/runtime.md`, Wire protocol).
//!
//! A frame is a length of 4 bytes (big-endian, of the payload), a kind of 1 byte, and the payload.
//! Control frames hold one JSON object each, see [`message`]; byte frames hold terminal bytes.

pub mod message;
mod reason;
#[cfg(test)]
mod tests;

pub use message::{Body, Condition, Event, Hello, Incoming, Outgoing, Request};
pub use reason::Reason;

/// Version of the protocol. Fields are only added; a change that breaks an older side counts it up.
pub const PROTOCOL: u32 = 1;
/// Largest payload of one frame, in bytes: a text of 1 MiB, also where every character has a backslash
/// before it. One that is mostly control characters, six bytes each, must be cut by its sender.
pub const PAYLOAD_LIMIT: usize = 4 << 20;
/// Terminal bytes of one frame; earlier sides take no more.
const PART: usize = 1 << 20;
/// Bytes before the payload.
const HEADER: usize = 5;

/// One frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Frame {
    /// A JSON object.
    Control(Vec<u8>),
    /// Terminal bytes.
    Bytes(Vec<u8>),
}

/// A stream that cannot be read any further.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    /// A length above [`PAYLOAD_LIMIT`].
    #[error("a frame of {0} bytes is longer than a keeper's protocol allows")]
    TooLong(u32),
    /// A kind that protocol 1 does not have.
    #[error("a frame of kind {0} is not part of a keeper's protocol")]
    UnknownKind(u8),
    /// A message that cannot be written as JSON.
    #[error("a message cannot be written: {0}")]
    Unwritable(String),
}

/// Appends a control frame. A message above the limit cannot be sent and is left out.
pub fn put_control(out: &mut Vec<u8>, message: &impl serde::Serialize) {
    if let Err(error) = try_put_control(out, message) {
        tracing::warn!(%error, "a message is not sent");
    }
}

/// The same for whoever waits for an answer to the message.
///
/// # Errors
/// It is longer than [`PAYLOAD_LIMIT`]; nothing is appended.
pub fn try_put_control(
    out: &mut Vec<u8>,
    message: &impl serde::Serialize,
) -> Result<(), WireError> {
    let json =
        serde_json::to_vec(message).map_err(|error| WireError::Unwritable(error.to_string()))?;
    if json.len() > PAYLOAD_LIMIT {
        return Err(WireError::TooLong(u32::try_from(json.len()).unwrap_or(u32::MAX)));
    }
    put(out, 0, &json);
    Ok(())
}

/// Appends terminal bytes, in as many frames as they need.
pub fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    for part in bytes.chunks(PART) {
        put(out, 1, part);
    }
}

fn put(out: &mut Vec<u8>, kind: u8, payload: &[u8]) {
    let length = u32::try_from(payload.len()).unwrap_or(u32::MAX);
    out.reserve(HEADER + payload.len());
    out.extend_from_slice(&length.to_be_bytes());
    out.push(kind);
    out.extend_from_slice(payload);
}

/// Cuts a stream of bytes, however it was split, into frames.
#[derive(Debug, Default)]
pub struct Decoder {
    buffer: Vec<u8>,
    /// Where the next frame begins in `buffer`.
    start: usize,
}

impl Decoder {
    /// Takes the next bytes of the stream.
    pub fn push(&mut self, bytes: &[u8]) {
        self.buffer.drain(..self.start);
        self.start = 0;
        self.buffer.extend_from_slice(bytes);
    }

    /// The next whole frame, if there is one.
    ///
    /// # Errors
    /// The stream is not of this protocol; nothing that follows can be read.
    pub fn next_frame(&mut self) -> Result<Option<Frame>, WireError> {
        let rest = &self.buffer[self.start..];
        let Some((length, rest)) = rest.split_first_chunk::<4>() else {
            return Ok(None);
        };
        let length = u32::from_be_bytes(*length);
        if length as usize > PAYLOAD_LIMIT {
            return Err(WireError::TooLong(length));
        }
        let Some((kind, rest)) = rest.split_first() else {
            return Ok(None);
        };
        if *kind > 1 {
            return Err(WireError::UnknownKind(*kind));
        }
        let Some(payload) = rest.get(..length as usize) else {
            return Ok(None);
        };
        let payload = payload.to_vec();
        self.start += HEADER + payload.len();
        Ok(Some(if *kind == 0 { Frame::Control(payload) } else { Frame::Bytes(payload) }))
    }
}
