//! Questions to the store, of which only the newest of a kind is worth asking.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;

/// Requests that wait. A newer one of the same kind takes the place of an older one, so there are
/// never more than kinds.
pub(super) struct Queue<T> {
    waiting: Mutex<VecDeque<T>>,
    changed: Notify,
}

impl<T> Queue<T> {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self { waiting: Mutex::default(), changed: Notify::new() })
    }

    /// Puts a request in place of one for which `same` holds, or last.
    pub(super) fn put(&self, request: T, same: impl Fn(&T, &T) -> bool) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        match waiting.iter_mut().find(|old| same(old, &request)) {
            Some(old) => *old = request,
            None => waiting.push_back(request),
        }
        drop(waiting);
        self.changed.notify_one();
    }

    /// Puts a request back that could not be answered, unless there is a newer one.
    pub(super) fn put_back(&self, request: T, same: impl Fn(&T, &T) -> bool) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if !waiting.iter().any(|newer| same(&request, newer)) {
            waiting.push_back(request);
        }
    }

    /// Waits for the next request. One worker takes from a queue.
    pub(super) async fn take(&self) -> T {
        loop {
            let next = self.waiting.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
            match next {
                Some(request) => return request,
                None => self.changed.notified().await,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_newer_request_takes_the_place_of_an_older_one() {
        let queue = Queue::new();
        let same = |a: &(char, u32), b: &(char, u32)| a.0 == b.0;
        for request in [('a', 1), ('b', 1), ('a', 2), ('a', 3)] {
            queue.put(request, same);
        }
        assert_eq!(queue.take().await, ('a', 3));
        assert_eq!(queue.take().await, ('b', 1));
        let later = Arc::clone(&queue);
        let waiting = tokio::spawn(async move { later.take().await });
        queue.put(('c', 1), same);
        assert_eq!(waiting.await.unwrap(), ('c', 1));
        queue.put(('c', 3), same);
        queue.put_back(('c', 2), same);
        queue.put_back(('d', 1), same);
        assert_eq!(queue.take().await, ('c', 3));
        assert_eq!(queue.take().await, ('d', 1));
    }
}
