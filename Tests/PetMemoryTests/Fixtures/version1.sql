PRAGMA secure_delete = ON;
CREATE TABLE meta (name TEXT PRIMARY KEY NOT NULL, value BLOB NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE fact (
  id INTEGER PRIMARY KEY AUTOINCREMENT, body BLOB NOT NULL, last_used INTEGER NOT NULL, uses INTEGER NOT NULL,
  expires INTEGER, superseded_by INTEGER) STRICT;
INSERT INTO meta VALUES ('seal', CAST('none' AS BLOB)), ('salt', zeroblob(32)), ('check', CAST('pet memory' AS BLOB));
INSERT INTO fact VALUES (1, CAST('{"kind":"name","subject":"user","topic":"","value":"Ada","text":"user''s name is Ada","source":{"conversation":"home","turn":1,"origin":"rule"},"confidence":0.9,"importance":0.9,"created":1795392000}' AS BLOB), 1795392000, 0, NULL, NULL);
INSERT INTO fact VALUES (2, CAST('{"kind":"place","subject":"user","topic":"","value":"Zanzibar","text":"lives in Zanzibar","source":{"conversation":"home","turn":1,"origin":"rule"},"confidence":0.9,"importance":0.7,"created":1795392000}' AS BLOB), 1795392000, 0, NULL, NULL);
PRAGMA application_id = 1348826189;
PRAGMA user_version = 1;
