-- Times are milliseconds since 1970, UTC. Where a time is negated, one ascending index gives newest
-- first with ties by id.

CREATE TABLE meta (
  name TEXT NOT NULL PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Version of the rules that derived the cached columns.
INSERT INTO meta (name, value) VALUES ('derivation', 1);

-- Sections of the rail, kept for ever: unregistering a project hides its section and loses nothing.
CREATE TABLE sections (
  section INTEGER PRIMARY KEY,
  workspace TEXT NOT NULL,
  key TEXT NOT NULL,
  kind TEXT NOT NULL,
  path TEXT,
  total INTEGER NOT NULL DEFAULT 0,   -- sessions shown in it
  placed INTEGER NOT NULL DEFAULT 0,  -- sessions that belong to it, pinned ones too
  UNIQUE (workspace, key)
) STRICT;

CREATE TABLE projects (
  section INTEGER PRIMARY KEY REFERENCES sections (section),
  workspace TEXT NOT NULL,
  name TEXT NOT NULL,
  path TEXT NOT NULL,
  git INTEGER NOT NULL,
  setup TEXT NOT NULL,
  position INTEGER NOT NULL,
  removed_at INTEGER
) STRICT;
CREATE UNIQUE INDEX projects_name ON projects (workspace, name) WHERE removed_at IS NULL;

-- The next number of an id; never goes back.
CREATE TABLE counters (
  workspace TEXT NOT NULL,
  prefix TEXT NOT NULL,
  next INTEGER NOT NULL,
  PRIMARY KEY (workspace, prefix)
) STRICT, WITHOUT ROWID;

CREATE TABLE sessions (
  rid INTEGER PRIMARY KEY,
  workspace TEXT NOT NULL,
  id TEXT NOT NULL,
  kind TEXT NOT NULL,
  parent TEXT,
  root TEXT NOT NULL,
  agent TEXT NOT NULL,
  title TEXT NOT NULL,
  placement INTEGER NOT NULL,                              -- version of the placement
  section INTEGER NOT NULL REFERENCES sections (section),  -- where it belongs
  pinned_at INTEGER,
  folder_kind TEXT NOT NULL,
  folder TEXT NOT NULL,
  branch TEXT,
  dirty INTEGER,
  prs INTEGER NOT NULL DEFAULT 0,                          -- number of rows in pr_facts
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- lifecycle and activity
  state TEXT NOT NULL,
  reason TEXT,
  alive INTEGER NOT NULL,
  generation INTEGER NOT NULL,
  published INTEGER NOT NULL,
  detecting TEXT,
  activity TEXT NOT NULL,
  activity_since INTEGER NOT NULL,
  witness TEXT NOT NULL,
  question TEXT,
  turn INTEGER NOT NULL,
  sorted_at INTEGER NOT NULL,
  last_activity_at INTEGER,
  finished_at INTEGER,
  seen_at INTEGER,
  -- derived from the columns above and the pull requests
  status TEXT NOT NULL,
  status_since INTEGER NOT NULL,
  zone INTEGER NOT NULL,
  attention TEXT,
  due_at INTEGER,
  -- where it is shown: the session that heads its rows, and that session's sort columns
  head TEXT NOT NULL,
  head_zone INTEGER NOT NULL,
  head_sort INTEGER NOT NULL,                              -- negated sorted_at of the head
  head_pin INTEGER,                                        -- negated pinned_at of a pinned head
  own_key INTEGER NOT NULL
    GENERATED ALWAYS AS (iif(head = id, -9223372036854775807, -sorted_at)) VIRTUAL,
  -- tombstone
  deleted_at INTEGER,
  batch TEXT,
  was_live INTEGER,
  trash_path TEXT,
  deleted_key INTEGER GENERATED ALWAYS AS (-deleted_at) VIRTUAL
) STRICT;

CREATE UNIQUE INDEX sessions_id ON sessions (workspace, id);

-- Pages of a project, a section, the workspace: newest first, and by zone. `head_pin` is in the
-- first two so that those shown in the pinned section are passed over without reading their rows.
CREATE INDEX sessions_recent ON sessions (section, head_sort, head, own_key, id, head_pin)
  WHERE deleted_at IS NULL;
CREATE INDEX sessions_zone ON sessions (section, head_zone, head_sort, head, own_key, id, head_pin)
  WHERE deleted_at IS NULL;
CREATE INDEX sessions_all_recent ON sessions (workspace, head_sort, head, own_key, id)
  WHERE deleted_at IS NULL;
CREATE INDEX sessions_all_zone ON sessions (workspace, head_zone, head_sort, head, own_key, id)
  WHERE deleted_at IS NULL;
CREATE INDEX sessions_pinned ON sessions (workspace, head_pin, head, own_key, id)
  WHERE deleted_at IS NULL AND head_pin IS NOT NULL;
CREATE INDEX sessions_pinned_zone ON sessions (workspace, head_zone, head_pin, head, own_key, id)
  WHERE deleted_at IS NULL AND head_pin IS NOT NULL;
CREATE INDEX sessions_trash ON sessions (workspace, deleted_key, id)
  WHERE deleted_at IS NOT NULL;
-- Everything that is counted by zone and attention.
CREATE INDEX sessions_awake ON sessions (workspace, section, head_pin, zone, attention, deleted_at)
  WHERE deleted_at IS NULL AND (zone < 5 OR attention IS NOT NULL);
CREATE INDEX sessions_live ON sessions (workspace, id) WHERE deleted_at IS NULL AND alive = 1;
CREATE INDEX sessions_due ON sessions (workspace, due_at)
  WHERE deleted_at IS NULL AND due_at IS NOT NULL;
CREATE INDEX sessions_children ON sessions (workspace, parent) WHERE parent IS NOT NULL;
CREATE INDEX sessions_below ON sessions (workspace, head) WHERE head <> id;
CREATE INDEX sessions_batch ON sessions (workspace, batch, id) WHERE batch IS NOT NULL;

-- Wide or seldom read columns of a session.
CREATE TABLE details (
  rid INTEGER PRIMARY KEY REFERENCES sessions (rid) ON DELETE CASCADE,
  launch TEXT NOT NULL,
  prompt TEXT,
  base TEXT,
  error TEXT,
  token_hash TEXT,
  keeper_pid INTEGER,
  pid INTEGER,
  started_at INTEGER,
  messages INTEGER NOT NULL DEFAULT 0,       -- number of rows in messages
  message_bytes INTEGER NOT NULL DEFAULT 0   -- length of their texts
) STRICT;

-- What a keeper observes. Only ever grows columns: older keepers keep writing to it.
CREATE TABLE facts (
  rid INTEGER PRIMARY KEY REFERENCES sessions (rid) ON DELETE CASCADE,
  generation INTEGER NOT NULL,
  sequence INTEGER NOT NULL,
  activity TEXT NOT NULL,
  activity_since INTEGER NOT NULL,
  witness TEXT NOT NULL,
  question TEXT,
  title TEXT,
  last_sign_at INTEGER NOT NULL,
  keeper_pid INTEGER NOT NULL,
  pid INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  exit TEXT,
  folded INTEGER NOT NULL                    -- 0: not yet taken into the session's columns
) STRICT;
CREATE INDEX facts_pending ON facts (rid) WHERE folded = 0;

CREATE TABLE pr_facts (
  rid INTEGER NOT NULL REFERENCES sessions (rid) ON DELETE CASCADE,
  url TEXT NOT NULL,
  number INTEGER NOT NULL,
  state TEXT NOT NULL,
  draft INTEGER NOT NULL,
  ci TEXT NOT NULL,
  review TEXT NOT NULL,
  mergeability TEXT NOT NULL,
  unresolved INTEGER NOT NULL,
  stale INTEGER NOT NULL,
  read_at INTEGER NOT NULL,
  PRIMARY KEY (rid, url)
) STRICT, WITHOUT ROWID;

CREATE TABLE operations (
  workspace TEXT NOT NULL,
  id TEXT NOT NULL,
  verb TEXT NOT NULL,
  state TEXT NOT NULL,
  step TEXT,
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  sessions TEXT NOT NULL,
  error TEXT,
  PRIMARY KEY (workspace, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX operations_open ON operations (workspace, started_at, id)
  WHERE state IN ('running', 'stuck');
CREATE INDEX operations_recent ON operations (workspace, started_at, id);

CREATE TABLE operation_results (
  workspace TEXT NOT NULL,
  operation TEXT NOT NULL,
  session TEXT NOT NULL,
  state TEXT NOT NULL,
  detail TEXT,
  PRIMARY KEY (workspace, operation, session),
  FOREIGN KEY (workspace, operation) REFERENCES operations (workspace, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE events (
  event INTEGER PRIMARY KEY,
  workspace TEXT NOT NULL,
  at INTEGER NOT NULL,
  session TEXT,
  actor TEXT NOT NULL,
  verb TEXT NOT NULL,
  "from" TEXT,
  "to" TEXT,
  cause TEXT,
  operation TEXT
) STRICT;
CREATE INDEX events_session ON events (workspace, session, event) WHERE session IS NOT NULL;
CREATE INDEX events_workspace ON events (workspace, event);

CREATE TABLE messages (
  message INTEGER PRIMARY KEY,
  rid INTEGER NOT NULL REFERENCES sessions (rid) ON DELETE CASCADE,
  at INTEGER NOT NULL,
  source TEXT NOT NULL,
  text TEXT NOT NULL
) STRICT;
CREATE INDEX messages_session ON messages (rid, message);
