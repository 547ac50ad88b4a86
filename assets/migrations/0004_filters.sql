-- Filters that the operator saved under a name, in the order of the rail.
CREATE TABLE filters (
  workspace TEXT NOT NULL,
  name TEXT NOT NULL,
  section TEXT,                              -- key of the section that it looks in; NULL: in all
  words TEXT NOT NULL,                       -- as typed
  position INTEGER NOT NULL,
  PRIMARY KEY (workspace, name)
) STRICT, WITHOUT ROWID;
