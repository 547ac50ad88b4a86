//! Handing a hook's report to the keeper: at once, and never waiting longer than a hook may.

use std::fs::OpenOptions;
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::domain::hook::{HookReport, SpooledReport};
use crate::os::random;
use crate::runtime::wire::{self, Body, Decoder, Frame, Hello, Incoming, Outgoing, Request};

/// Largest file of reports that a keeper did not take yet, in bytes.
const SPOOL_LIMIT: u64 = 8 << 20;
/// Number of the request.
const NUMBER: u64 = 2;

/// The file beside a keeper's socket where reports wait for it.
pub fn spool(socket: &Path) -> PathBuf {
    socket.with_extension("hooks")
}

/// Tells the keeper, and waits for its answer at most `limit` between two signs of it. Once the report
/// is written the keeper has it, answered or not: a keeper that is slow reads it later.
///
/// # Errors
/// There is no keeper, or it takes nothing.
pub fn report(
    socket: &Path,
    generation: u32,
    token: &str,
    report: &HookReport,
    limit: Duration,
) -> io::Result<()> {
    let mut stream = UnixStream::connect(socket)?;
    stream.set_write_timeout(Some(limit))?;
    stream.set_read_timeout(Some(limit))?;
    let mut bytes = Vec::new();
    let hello = Request::Hello(Hello::new(None, Some(generation)));
    wire::put_control(&mut bytes, &Incoming { id: 1, request: hello });
    let report = Box::new(report.clone());
    let request = Request::Hook { generation, token: token.to_owned(), report };
    wire::put_control(&mut bytes, &Incoming { id: NUMBER, request });
    stream.write_all(&bytes)?;
    // Closed with answers unread, the connection would take the report with it.
    let mut decoder = Decoder::default();
    let mut buffer = [0; 4_096];
    loop {
        let length = match stream.read(&mut buffer) {
            Ok(length @ 1..) => length,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
            // Turned away, or its end came first: it may not have read what it was sent.
            Ok(_) | Err(_) => return Err(io::ErrorKind::WouldBlock.into()),
        };
        decoder.push(&buffer[..length]);
        while let Ok(Some(frame)) = decoder.next_frame() {
            if let Frame::Control(json) = frame
                && let Ok(Outgoing::Answer { id: NUMBER, body }) = Outgoing::read(&json)
            {
                return match body {
                    Body::Done { .. } => Ok(()),
                    other => Err(io::Error::other(format!("the keeper answered {other:?}"))),
                };
            }
        }
    }
}

/// Leaves the report in the file beside the socket.
///
/// # Errors
/// The file cannot be written, or holds too much already.
pub fn leave(socket: &Path, generation: u32, token: &str, report: &HookReport) -> io::Result<()> {
    let (token_hash, report) = (random::token_hash(token), report.clone());
    let mut line = serde_json::to_vec(&SpooledReport { generation, token_hash, report })?;
    line.push(b'\n');
    loop {
        let mut options = OpenOptions::new();
        let mut file = options.append(true).create(true).mode(0o600).open(spool(socket))?;
        if file.metadata()?.len() > SPOOL_LIMIT {
            return Err(io::Error::other("too many reports wait for the keeper"));
        }
        // In one write, so that lines of two hooks never mix.
        file.write_all(&line)?;
        if file.metadata()?.nlink() > 0 {
            return Ok(());
        }
        // The keeper took the file just then, perhaps before this line was in it: twice is better than
        // lost.
    }
}
