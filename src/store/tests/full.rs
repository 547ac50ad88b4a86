//! No room left (W4): what does not fit is not written at all.

use crate::domain::error::ErrorKind;
use crate::domain::ids::SessionId;

use super::super::connection::Durability;
use super::super::{StoreError, health};
use super::{Fixture, id, seed};

/// Lets the database grow to so many pages.
async fn grow_to(fixture: &Fixture, pages: Option<i64>) {
    let limit = move |scope: &super::Scope<'_>| {
        let now: i64 = scope.conn.query_row("PRAGMA page_count", [], |row| row.get(0))?;
        let most = pages.unwrap_or(now);
        scope.conn.pragma_update(None, "max_page_count", most)?;
        Ok(())
    };
    fixture.store.write(Durability::Normal, "bound the file".to_owned(), limit).await.unwrap();
}

/// W4: with the reason, nothing half written; what is there can be read, and with room it goes on.
#[tokio::test]
async fn a_full_store_refuses_whole_writes_and_can_be_read() {
    let fixture = Fixture::new();
    let turn = fixture.live("shop-1", None).await.condition.turn;
    grow_to(&fixture, None).await;
    let long = "a text that does not fit ".repeat(400);
    let mut refusals = 0;
    for number in 2..60 {
        let mut new = seed(&format!("shop-{number}"), None);
        new.prompt = Some(long.clone());
        if let Err(error) = fixture.store.insert_seed(&new).await {
            assert!(matches!(error, StoreError::Full { .. }), "{error}");
            assert_eq!(error.kind(), ErrorKind::Failed);
            assert!(error.to_string().contains("no room") && error.hint().is_some());
            assert_eq!(fixture.store.session(&new.id).await.unwrap(), None);
            refusals += 1;
        }
    }
    assert!(refusals > 50, "{refusals}");
    let error = fixture
        .store
        .prompted(&id("shop-1"), &long, "operator", fixture.clock.now())
        .await
        .unwrap_err();
    assert!(matches!(error, StoreError::Full { .. }), "{error}");
    let session = fixture.get("shop-1").await;
    assert_eq!(session.condition.turn, turn, "a turn without its message");
    let health = health::examine(&fixture.home).unwrap();
    assert_eq!((health.damage, health.references, health.totals), (vec![], vec![], vec![]));
    grow_to(&fixture, Some(1 << 30)).await;
    fixture.store.prompted(&id("shop-1"), &long, "operator", fixture.clock.now()).await.unwrap();
    let fresh: SessionId = id("shop-99");
    fixture.store.insert_seed(&seed("shop-99", None)).await.unwrap();
    assert!(fixture.store.session(&fresh).await.unwrap().is_some());
}
