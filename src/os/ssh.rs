//! The operator's key agent for agents that outlive the login it belongs to: they know a link that stays,
//! and each attach points it at the socket of the present login (`spec/runtime.md`, Environment of an
//! agent).

use std::ffi::OsStr;
use std::io;
use std::os::unix::fs::FileTypeExt as _;
use std::path::Path;

use super::fs;

/// Variable with the socket of the key agent.
pub const SOCKET: &str = "SSH_AUTH_SOCK";

/// Points `link` at the key agent that this process knows. False where it knows none that is there, or
/// knows the link itself: then the link stays as it is.
///
/// # Errors
/// The link cannot be made.
pub fn refresh(link: &Path) -> io::Result<bool> {
    point(link, std::env::var_os(SOCKET).as_deref())
}

fn point(link: &Path, offered: Option<&OsStr>) -> io::Result<bool> {
    let Some(socket) = offered.map(Path::new).filter(|socket| socket.is_absolute()) else {
        return Ok(false);
    };
    let is_socket = std::fs::metadata(socket).is_ok_and(|found| found.file_type().is_socket());
    if socket == link || !is_socket {
        return Ok(false);
    }
    if !std::fs::read_link(link).is_ok_and(|now| now == socket) {
        fs::replace_link(link, socket)?;
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixListener;

    /// Environment of an agent: the link is stable, follows the present login, and never points at
    /// itself or at what is gone.
    #[test]
    fn the_link_follows_the_present_login() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let link = path("ssh-agent");
        let goes_to = || std::fs::read_link(&link).unwrap();
        let offer = |socket: &Path| point(&link, Some(socket.as_os_str())).unwrap();
        assert!(!point(&link, None).unwrap());
        assert!(!offer(&path("first")), "nothing is there");
        let first = UnixListener::bind(path("first")).unwrap();
        let _second = UnixListener::bind(path("second")).unwrap();
        assert!(offer(&path("first")));
        assert_eq!(goes_to(), path("first"));
        assert!(!offer(&link), "an agent that attaches knows the link itself");
        assert!(
            !point(&link, Some(OsStr::new("second"))).unwrap(),
            "relative to nobody knows what"
        );
        assert!(offer(&path("second")));
        assert_eq!(goes_to(), path("second"));
        drop(first);
        std::fs::remove_file(path("first")).unwrap();
        assert!(!offer(&path("first")));
        assert_eq!(goes_to(), path("second"));
        let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
        assert_eq!(left.len(), 2, "{left:?}");
    }
}
