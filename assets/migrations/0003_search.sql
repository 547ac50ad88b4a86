-- Full-text search: one document a message and one a session (its title, prompt and branch), numbered
-- together in the order in which they came. A message has the number of its document.

CREATE TABLE documents (
  doc INTEGER PRIMARY KEY,
  rid INTEGER NOT NULL                       -- the session that it belongs to
) STRICT;

-- The number of the session's own document.
ALTER TABLE details ADD COLUMN doc INTEGER;

-- What is there already is numbered anew, oldest first.
CREATE TABLE numbered (doc INTEGER PRIMARY KEY, rid INTEGER NOT NULL, message INTEGER) STRICT;
INSERT INTO numbered (rid, message)
  SELECT rid, message FROM (
    SELECT rid, NULL AS message, created_at AS at FROM sessions
    UNION ALL
    SELECT rid, message, at FROM messages
  )
  ORDER BY at, coalesce(message, 0), rid;
CREATE UNIQUE INDEX numbered_message ON numbered (message) WHERE message IS NOT NULL;
INSERT INTO documents (doc, rid) SELECT doc, rid FROM numbered;
UPDATE details SET doc = own.doc
  FROM (SELECT rid, doc FROM numbered WHERE message IS NULL) own WHERE own.rid = details.rid;
UPDATE messages SET message = -message;
UPDATE messages SET message = (SELECT doc FROM numbered n WHERE n.message = -messages.message);
DROP TABLE numbered;

-- The words alone, already cut, in lower case and without accents: `search_words` is a function of
-- callboard. The texts stay where they are; which words stand side by side is seen in them.
CREATE VIRTUAL TABLE search USING fts5 (
  words, content = '', contentless_delete = 1, detail = none, prefix = '1 2 3', tokenize = 'ascii'
);
-- Its words, to complete the last one of a search.
CREATE VIRTUAL TABLE search_terms USING fts5vocab (search, instance);

INSERT INTO search (rowid, words)
  SELECT o.doc, CASE WHEN m.message IS NULL
      THEN search_words(s.title) || ' ' || search_words(coalesce(d.prompt, ''))
        || ' ' || search_words(coalesce(s.branch, ''))
      ELSE search_words(m.text) END
  FROM documents o
  CROSS JOIN sessions s ON s.rid = o.rid
  CROSS JOIN details d ON d.rid = o.rid
  LEFT JOIN messages m ON m.message = o.doc
  ORDER BY o.doc;
