//! Lanes: the in-process queue of each session's mutations (`spec/lifecycle.md` L1, L2).

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{Mutex as Lane, OwnedMutexGuard};

type Registry = Mutex<HashMap<String, Arc<Lane<()>>>>;

/// One registry of lanes, shared by all coordinators of a process. A lane is fair, and vanishes when
/// nobody holds or waits for it.
#[derive(Debug, Clone, Default)]
pub struct Lanes {
    registry: Arc<Registry>,
}

impl Lanes {
    /// Waits for the lane of `key`, in order of arrival. Dropping the future leaves the queue.
    pub async fn enter(&self, key: &str) -> LaneGuard {
        let lane = Arc::clone(self.registry().entry(key.to_owned()).or_default());
        let mut guard = LaneGuard { held: None, lanes: self.clone(), key: key.to_owned() };
        guard.held = Some(lane.lock_owned().await);
        guard
    }

    /// How many lanes are held or waited for.
    pub fn len(&self) -> usize {
        self.registry().len()
    }

    /// Whether no lane is held or waited for.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn registry(&self) -> std::sync::MutexGuard<'_, HashMap<String, Arc<Lane<()>>>> {
        self.registry.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A held lane, or a place in its queue; dropping it leaves.
#[derive(Debug)]
pub struct LaneGuard {
    held: Option<OwnedMutexGuard<()>>,
    lanes: Lanes,
    key: String,
}

impl Drop for LaneGuard {
    fn drop(&mut self) {
        self.held = None;
        let mut registry = self.lanes.registry();
        // Those who hold or wait keep a count of their own beside the registry's.
        if registry.get(&self.key).is_some_and(|lane| Arc::strong_count(lane) == 1) {
            registry.remove(&self.key);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::Lanes;

    #[tokio::test]
    async fn a_lane_is_fair_and_vanishes() {
        let lanes = Lanes::default();
        let order = Arc::new(Mutex::new(Vec::new()));
        let first = lanes.enter("shop-1").await;
        let mut waiting = Vec::new();
        for n in 0..5 {
            let (lanes, order) = (lanes.clone(), Arc::clone(&order));
            let mut wait = Box::pin(async move {
                let _held = lanes.enter("shop-1").await;
                order.lock().unwrap().push(n);
            });
            // Polled once, so that each has its place in the queue before the next comes.
            tokio::select! { biased; () = &mut wait => unreachable!(), () = async {} => {} }
            waiting.push(tokio::spawn(wait));
        }
        assert_eq!(lanes.len(), 1);
        drop(first);
        for task in waiting {
            task.await.unwrap();
        }
        assert_eq!(*order.lock().unwrap(), [0, 1, 2, 3, 4]);
        assert!(lanes.is_empty());
    }

    #[tokio::test]
    async fn who_gives_up_waiting_leaves_the_queue() {
        let lanes = Lanes::default();
        let first = lanes.enter("shop-1").await;
        let mut second = Box::pin(lanes.enter("shop-1"));
        tokio::select! { biased; _ = &mut second => unreachable!(), () = async {} => {} }
        let mut third = Box::pin(lanes.enter("shop-1"));
        tokio::select! { biased; _ = &mut third => unreachable!(), () = async {} => {} }
        drop(second);
        drop(first);
        let held = third.await;
        assert_eq!(lanes.len(), 1);
        drop(held);
        assert!(lanes.is_empty());
    }

    #[tokio::test]
    async fn a_cancelled_last_waiter_leaves_nothing_behind() {
        let lanes = Lanes::default();
        let first = lanes.enter("a").await;
        let mut second = Box::pin(lanes.enter("a"));
        tokio::select! { biased; _ = &mut second => unreachable!(), () = async {} => {} }
        drop(first);
        drop(second);
        assert!(lanes.is_empty());
    }
}
