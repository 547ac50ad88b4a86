//! `log`: terminal history as bytes, or as a recording.

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::ids::SessionId;
use crate::domain::time::Timestamp;
use crate::host::ports::Ports;
use crate::runtime::client::recording::{Cast, Piece, Quiet, Recording, bytes};

use super::args::LogArgs;
use super::console::Console;
use super::error::{CliError, CommandResult, Ending};
use super::output::STDOUT;

/// How often one looks for more while following.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// How long the last output may be under way to the disk once the session has ended.
const LAST_OUTPUT: Duration = Duration::from_millis(300);

/// `log --cast`: `id, file, events, seconds`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LogJson<'a> {
    /// The session.
    id: &'a SessionId,
    /// The recording.
    file: &'a Path,
    /// How many events it has.
    events: u64,
    /// How long it takes.
    seconds: f64,
}

/// `log`
///
/// # Errors
/// There is no such session, or its history cannot be read or written.
pub(crate) async fn run<P: Ports>(console: &Console<P>, args: LogArgs) -> CommandResult {
    if console.out.json && args.cast.as_deref().is_none_or(|file| file == Path::new("-")) {
        return Err(CliError::Usage {
            message: "the history itself is no JSON".to_owned(),
            hint: Some("--cast FILE writes it to a file and reports that as JSON".to_owned()),
        });
    }
    let session = console.session(&args.id).await?;
    let folder = console.home.history(console.host.ports().workspace(), &args.id);
    let what = format!("reading the history of {}", args.id);
    let recording = Recording::open(&folder).map_err(CliError::io(what))?;
    let Some(file) = args.cast else {
        let mut out = Raw::new();
        read(console, &args.id, recording, args.follow, &mut out).await?;
        return Ok(Ending::Done);
    };
    let plain = file == Path::new("-");
    let opened: Box<dyn Write + Send> = if plain {
        Box::new(io::stdout())
    } else {
        let what = format!("making {}", file.display());
        Box::new(File::create(&file).map_err(CliError::io(what))?)
    };
    let cast = Cast::new(BufWriter::new(opened), &session.title);
    let mut out = Recorded { cast, file: file.clone() };
    let read = read(console, &args.id, recording, args.follow, &mut out).await;
    let (events, seconds) = out.cast.finish().map_err(|error| failed(&file, error))?;
    read?;
    if !plain {
        let report = LogJson { id: &args.id, file: &file, events, seconds };
        console.out.report(&report, |report| {
            format!(
                "{} events, {:.1} s, in {}",
                report.events,
                report.seconds,
                report.file.display()
            )
        })?;
    }
    Ok(Ending::Done)
}

/// Where the pieces go.
trait Sink {
    fn put(&mut self, at: Timestamp, piece: Piece) -> Result<(), CliError>;
    /// Everything that was put so far is to be seen.
    fn flush(&mut self) -> Result<(), CliError>;
}

async fn read<P: Ports>(
    console: &Console<P>,
    id: &SessionId,
    mut recording: Recording,
    follow: bool,
    out: &mut impl Sink,
) -> Result<(), CliError> {
    let mut gone = std::pin::pin!(console.host.ports().gone(id));
    // From a session that has ended nothing more comes than what is there.
    let mut last = !follow || !runs(console, id).await?;
    loop {
        for piece in recording.by_ref() {
            let (at, piece) =
                piece.map_err(CliError::io(format!("reading the history of {id}")))?;
            out.put(at, piece)?;
        }
        out.flush()?;
        if last {
            return Ok(());
        }
        let more = async {
            tokio::select! {
                () = tokio::time::sleep(LOOK_EVERY) => runs(console, id).await,
                () = &mut gone => Ok(false),
            }
        };
        if !console.context.run(more).await?? {
            tokio::time::sleep(LAST_OUTPUT).await;
            last = true;
        }
        let looked = recording.look_again();
        looked.map_err(CliError::io(format!("reading the history of {id}")))?;
    }
}

/// Whether more may come, as far as the row tells.
async fn runs<P: Ports>(console: &Console<P>, id: &SessionId) -> Result<bool, CliError> {
    let session = console.session(id).await?;
    Ok(session.is_live() && session.deletion.is_none())
}

/// As bytes; a terminal is not asked what the agent asked its own.
struct Raw {
    quiet: Option<Quiet>,
}

impl Raw {
    fn new() -> Self {
        Self { quiet: io::stdout().is_terminal().then(Quiet::default) }
    }
}

impl Sink for Raw {
    fn put(&mut self, _at: Timestamp, piece: Piece) -> Result<(), CliError> {
        let mut bytes = bytes(piece);
        if let Some(quiet) = &mut self.quiet {
            bytes = quiet.pass(&bytes);
        }
        io::stdout().lock().write_all(&bytes).map_err(|error| failed(Path::new("-"), error))
    }

    fn flush(&mut self) -> Result<(), CliError> {
        io::stdout().lock().flush().map_err(|error| failed(Path::new("-"), error))
    }
}

/// As an asciicast.
struct Recorded<W: Write> {
    cast: Cast<W>,
    file: PathBuf,
}

impl<W: Write> Sink for Recorded<W> {
    fn put(&mut self, at: Timestamp, piece: Piece) -> Result<(), CliError> {
        self.cast.add(at, piece).map_err(|error| failed(&self.file, error))
    }

    fn flush(&mut self) -> Result<(), CliError> {
        self.cast.flush().map_err(|error| failed(&self.file, error))
    }
}

/// Why a history could not be written.
fn failed(file: &Path, error: io::Error) -> CliError {
    if file == Path::new("-") {
        return CliError::writing(STDOUT)(error);
    }
    CliError::writing(format!("writing {}", file.display()))(error)
}
