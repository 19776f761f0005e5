CREATE TABLE orders (
  id      INTEGER PRIMARY KEY,
  email   TEXT NOT NULL,
  total   INTEGER NOT NULL,
  country TEXT NOT NULL DEFAULT 'DE'
);
