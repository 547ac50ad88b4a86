//! One client: its requests, and what is sent to it. Whatever it does harms only itself.

use std::rc::Rc;
use std::time::Duration;

use tokio::net::UnixStream;

use super::Keeper;
use super::outbox::Outbox;
use super::typing::{Text, refused};
use crate::os::duplex::Duplex;
use crate::os::proctree::Process;
use crate::os::signals;
use crate::runtime::screen::Size;
use crate::runtime::wire::{
    Body, Condition, Decoder, Event, Frame, Hello, Incoming, Outgoing, PROTOCOL, Reason, Request,
    WireError,
};

/// Bytes read from a client at a time.
const READ: usize = 16 << 10;

/// What a terminal says of its focus: nobody typed it.
const FOCUS: [&[u8]; 2] = [b"\x1b[I", b"\x1b[O"];

/// How long a client that is turned away may take to read why.
const LAST_ANSWER: Duration = Duration::from_secs(1);

/// Serves one client until it goes away.
pub(super) async fn serve(keeper: Rc<Keeper>, stream: UnixStream) {
    if let Err(error) = talk(&keeper, stream).await {
        tracing::debug!(%error, "a client is gone");
    }
}

async fn talk(keeper: &Rc<Keeper>, stream: UnixStream) -> std::io::Result<()> {
    let link = Rc::new(Duplex::new(stream.into_std()?.into())?);
    let outbox = Rc::new(Outbox::new(Rc::clone(&link)));
    keeper.core.borrow_mut().add(&outbox);
    let send = async {
        loop {
            let batch = outbox.next(&keeper.core).await;
            link.write_all(&batch).await?;
        }
    };
    let client = Client { keeper, outbox: &outbox };
    tokio::select! {
        ended = send => ended,
        ended = client.listen(&link) => ended,
    }
}

struct Client<'a> {
    keeper: &'a Rc<Keeper>,
    outbox: &'a Rc<Outbox>,
}

impl Client<'_> {
    async fn listen(&self, from: &Duplex) -> std::io::Result<()> {
        let mut decoder = Decoder::default();
        let mut buffer = vec![0; READ];
        // what the client means to reach, once it said so
        let mut launch: Option<u32> = None;
        loop {
            let length = from.read(&mut buffer).await?;
            if length == 0 {
                return Ok(());
            }
            decoder.push(&buffer[..length]);
            loop {
                let frame = match decoder.next_frame() {
                    Ok(Some(frame)) => frame,
                    Ok(None) => break,
                    Err(error) => return self.turn_away(error).await,
                };
                self.outbox.has_room().await;
                match frame {
                    Frame::Bytes(bytes) => self.raw_input(&bytes, launch).await,
                    Frame::Control(json) => match Incoming::read(&json) {
                        Ok(Incoming { id, request: Request::Hello(hello) }) => {
                            launch = hello.generation.or(launch);
                            self.answer(id, self.greet(&hello));
                        }
                        Ok(Incoming { id, request }) => {
                            let body = self.handle(request).await;
                            self.answer(id, body);
                        }
                        Err(refused) => {
                            let (id, body) = *refused;
                            self.answer(id, body);
                        }
                    },
                }
            }
        }
    }

    /// Says why nothing more is read of this client, where it reads that.
    async fn turn_away(&self, error: WireError) -> std::io::Result<()> {
        let reason =
            if matches!(error, WireError::TooLong(_)) { Reason::TooLong } else { Reason::Illegal };
        self.answer(0, Body::Refused { reason, message: error.to_string() });
        // how that ends is the client's affair
        let _ = tokio::time::timeout(LAST_ANSWER, self.outbox.flushed()).await;
        Err(std::io::Error::other(error))
    }

    fn answer(&self, id: u64, body: Body) {
        self.outbox.put(&Outgoing::Answer { id, body });
    }

    fn generation(&self) -> u32 {
        self.keeper.spec.generation
    }

    fn greet(&self, hello: &Hello) -> Body {
        let spec = &self.keeper.spec;
        let other = hello.session.as_ref().is_some_and(|session| *session != spec.session)
            || hello.generation.is_some_and(|generation| generation != spec.generation);
        if other {
            return refused(Reason::OtherLaunch);
        }
        if hello.protocol < PROTOCOL {
            tracing::info!(protocol = hello.protocol, "a client speaks an older protocol");
        }
        Body::Hello(Hello::new(Some(spec.session.clone()), Some(spec.generation)))
    }

    /// Keys of an operator who looks at the screen: no condition. More than the agent has read of late is
    /// not read from this client either.
    async fn raw_input(&self, bytes: &[u8], launch: Option<u32>) {
        let typed = if launch == Some(self.generation()) {
            let room = self.keeper.room(bytes.len()).await;
            room.and_then(|()| self.keeper.core.borrow_mut().type_bytes(bytes))
        } else {
            Err(Reason::OtherLaunch)
        };
        match typed {
            Ok(()) => {
                if !FOCUS.contains(&bytes) {
                    self.keeper.core.borrow_mut().typed_by(self.outbox);
                }
                self.keeper.input.notify_one();
            }
            Err(reason) => self.outbox.put(&Outgoing::Event(Event::InputRefused { reason })),
        }
    }

    async fn handle(&self, request: Request) -> Body {
        let keeper = self.keeper;
        let done = Body::Done { verified: None };
        match request {
            Request::Hello(hello) => self.greet(&hello),
            Request::SubscribeFacts => {
                self.outbox.subscribe_facts(keeper.core.borrow().facts());
                done
            }
            Request::SubscribeScreen { history } => {
                self.outbox.subscribe_screen(history);
                done
            }
            Request::Input { generation, condition, text } => {
                self.type_in(generation, Text::Plain(text), condition).await
            }
            Request::Paste { generation, condition, text, submit } => {
                let body = self.type_in(generation, Text::Paste(text, submit), condition).await;
                if matches!(body, Body::Done { .. }) {
                    keeper.core.borrow_mut().typed_by(self.outbox);
                }
                body
            }
            Request::Keys { generation, condition, keys, selected } => {
                self.type_in(generation, Text::Keys(keys, selected), condition).await
            }
            Request::Resize { cols, rows, yields } => {
                let others = keeper.core.borrow().is_typed_by_other(self.outbox);
                if !(yields && others) {
                    keeper.resize(Size { cols, rows });
                }
                if !yields {
                    keeper.core.borrow_mut().typed_by(self.outbox);
                }
                done
            }
            Request::Signal { generation, signal, foreground } => {
                self.signal(generation, &signal, foreground)
            }
            Request::Stop { generation, pace } => {
                if generation.is_some_and(|generation| generation != self.generation()) {
                    return refused(Reason::OtherLaunch);
                }
                let outcome = keeper.stop(pace, true).await;
                let exit = keeper.core.borrow().exit().cloned();
                Body::Stopped { ended: outcome.ended, escalated: outcome.escalated, exit }
            }
            Request::Hook { generation, token, report } => {
                let spec = &keeper.spec;
                if generation != spec.generation || token != spec.token {
                    return refused(Reason::OtherLaunch);
                }
                keeper.hook(&report);
                done
            }
            Request::Text { scrollback } => Body::Text(keeper.core.borrow().text(scrollback)),
            Request::Status => {
                let mut core = keeper.core.borrow_mut();
                keeper.look(&mut core);
                Body::Status(Box::new(core.status()))
            }
        }
    }

    async fn type_in(&self, generation: u32, text: Text, condition: Option<Condition>) -> Body {
        if generation != self.generation() {
            return refused(Reason::OtherLaunch);
        }
        // a task of its own, which goes on when this client goes away
        let typed = tokio::task::spawn_local(Rc::clone(self.keeper).type_in(text, condition));
        typed.await.unwrap_or_else(|error| Body::Refused {
            reason: Reason::System,
            message: format!("typing failed: {error}"),
        })
    }

    fn signal(&self, generation: u32, name: &str, foreground: bool) -> Body {
        if generation != self.generation() {
            return refused(Reason::OtherLaunch);
        }
        let Some(signal) = signals::by_name(name) else {
            let message = format!("there is no signal {name:?}");
            return Body::Refused { reason: Reason::Illegal, message };
        };
        let agent = self.keeper.terminal.agent;
        let sent = match self.keeper.terminal.foreground().filter(|_| foreground) {
            Some(leader) => {
                // a group may outlive its leader
                let leader = Process::of(leader).unwrap_or(Process { pid: leader, start: 0 });
                signals::send_group(leader, signal)
            }
            None => signals::send(agent, signal),
        };
        match sent {
            Ok(true) => Body::Done { verified: None },
            Ok(false) => refused(Reason::Exited),
            Err(error) => Body::Refused { reason: Reason::System, message: error.to_string() },
        }
    }
}
