//! The model server that the programs ask: `tests/support/stub_model.py`. It answers what the last line of a
//! prompt says (`say TEXT`, `run COMMAND`, `ask`, `bad`, ...).

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, SystemTime};

use serde_json::Value;

/// A running server; it ends with this value.
pub(crate) struct Model {
    child: Child,
    port: u16,
}

impl Model {
    /// Starts one; none where there is no Python.
    pub(crate) fn start() -> Option<Self> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/stub_model.py");
        let mut child = Command::new("python3")
            .arg(script)
            .arg("0")
            .current_dir("/")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let mut line = String::new();
        BufReader::new(child.stdout.take()?).read_line(&mut line).ok()?;
        let port = line.trim().rsplit(':').next().and_then(|port| port.parse().ok());
        let port = port.unwrap_or_else(|| panic!("the model server said {line:?}"));
        Some(Self { child, port })
    }

    /// Where it listens.
    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The directives of the turns that it was asked for, the oldest first, each as often as it was asked.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.begun().into_iter().map(|(directive, _)| directive).collect()
    }

    /// When it was asked for this turn, once it was.
    pub(crate) fn asked_at(&self, directive: &str) -> Option<SystemTime> {
        let at = |(asked, at): (String, f64)| {
            (asked == directive).then(|| SystemTime::UNIX_EPOCH + Duration::from_secs_f64(at))
        };
        self.begun().into_iter().find_map(at)
    }

    /// The turns with their times, in seconds.
    fn begun(&self) -> Vec<(String, f64)> {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).unwrap();
        stream.write_all(b"GET /stub/requests HTTP/1.0\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (_, body) = answer.split_once("\r\n\r\n").unwrap();
        let requests: Value = serde_json::from_str(body).unwrap();
        let requests = requests["requests"].as_array().unwrap().iter();
        // Titles and summaries offer no tools; a tool's result goes on with a turn.
        let begun = requests.filter(|request| {
            request["step"] == 0 && request["tools"].as_array().is_some_and(|it| !it.is_empty())
        });
        let with_time = |request: &Value| {
            Some((request["directive"].as_str()?.to_owned(), request["t"].as_f64()?))
        };
        begun.filter_map(with_time).collect()
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _gone = self.child.kill();
        let _status = self.child.wait();
    }
}
