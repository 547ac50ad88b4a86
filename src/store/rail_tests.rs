use super::super::tests::Fixture;
use super::*;

#[tokio::test]
async fn what_is_awake_is_counted_from_its_index_alone_p3() {
    let fixture = Fixture::new();
    let plan = fixture
        .look(|scope| {
            let mut statement = scope.conn.prepare(&format!("EXPLAIN QUERY PLAN {AWAKE}"))?;
            let steps = statement.query_map(["default"], |row| row.get::<_, String>(3))?;
            Ok(steps.collect::<rusqlite::Result<Vec<_>>>()?.join("\n"))
        })
        .await;
    assert_eq!(plan, "SEARCH sessions USING COVERING INDEX sessions_awake (workspace=?)");
}
