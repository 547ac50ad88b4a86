//! Work on many sessions at once, bounded.

use tokio::task::{JoinError, JoinSet};

/// Runs `work` on every item: started in the given order, at most `limit` at a time, answered in the
/// given order. Dropping the future ends what has not finished.
pub(super) async fn ordered<T, F, R>(
    limit: usize,
    items: impl IntoIterator<Item = T>,
    work: impl Fn(T) -> F,
) -> Vec<R>
where
    F: Future<Output = R> + Send + 'static,
    R: Send + 'static,
{
    let mut running = JoinSet::new();
    let mut done = Vec::new();
    for (index, item) in items.into_iter().enumerate() {
        if running.len() >= limit {
            done.extend(running.join_next().await.map(finished));
        }
        let job = work(item);
        running.spawn(async move { (index, job.await) });
    }
    while let Some(result) = running.join_next().await {
        done.push(finished(result));
    }
    done.sort_unstable_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

/// A panic inside a job goes on in the caller; jobs are aborted only together with the caller.
fn finished<R>(result: Result<R, JoinError>) -> R {
    result.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

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
}
