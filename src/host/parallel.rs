//! Work on many sessions at once, bounded.

use futures_util::StreamExt as _;
use futures_util::stream;

/// Runs `work` on every item: started in the given order, at most `limit` at a time, answered in the
/// given order. All of it runs within the task that waits: dropping the future ends what has not
/// finished, a panic goes on in the caller, and there is never more than `limit` of anything.
pub(super) async fn ordered<T, F, R>(
    limit: usize,
    items: impl IntoIterator<Item = T>,
    work: impl Fn(T) -> F,
) -> Vec<R>
where
    F: Future<Output = R>,
{
    let jobs = items.into_iter().enumerate().map(|(index, item)| {
        // In memory of its own: what works on a session is large, and is handed from hand to hand here.
        let job = Box::pin(work(item));
        async move { (index, job.await) }
    });
    let mut done: Vec<(usize, R)> = stream::iter(jobs).buffer_unordered(limit).collect().await;
    done.sort_unstable_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Arc, Mutex};

    use super::*;

    #[tokio::test]
    async fn answers_come_in_order_and_never_more_than_the_limit_run() {
        let running = Arc::new(AtomicUsize::new(0));
        let most = Arc::new(AtomicUsize::new(0));
        let results = ordered(4, 0..50_usize, |item| {
            let (running, most) = (Arc::clone(&running), Arc::clone(&most));
            async move {
                let now = running.fetch_add(1, Ordering::SeqCst) + 1;
                most.fetch_max(now, Ordering::SeqCst);
                for _ in 0..(50 - item) % 7 {
                    tokio::task::yield_now().await;
                }
                running.fetch_sub(1, Ordering::SeqCst);
                item
            }
        })
        .await;
        assert_eq!(results, (0..50).collect::<Vec<_>>());
        assert!(most.load(Ordering::SeqCst) <= 4);
    }

    /// D6: work starts in the given order, whatever threads there are.
    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn work_starts_in_order_on_many_threads() {
        let started = Arc::new(Mutex::new(Vec::new()));
        let work = |item: usize| {
            let started = Arc::clone(&started);
            async move {
                started.lock().unwrap().push(item);
                for _ in 0..item % 5 {
                    tokio::task::yield_now().await;
                }
            }
        };
        // As a job of the dashboard runs: within a task.
        let work = Box::pin(ordered(16, 0..500, work));
        work.await;
        assert!(started.lock().unwrap().is_sorted(), "{started:?}");
    }
}
