CREATE TABLE certificates (
  id SERIAL NOT NULL,
  key VARCHAR NOT NULL,
  at VARCHAR NOT NULL,
  passed BOOLEAN NOT NULL,
  body JSON NOT NULL,
  digest VARCHAR NOT NULL,
  PRIMARY KEY (id)
);
CREATE INDEX ix_certificates_key ON certificates (key);
CREATE TABLE runs (
  id VARCHAR NOT NULL,
  at VARCHAR NOT NULL,
  version VARCHAR NOT NULL,
  command JSON NOT NULL,
  request JSON NOT NULL,
  machine JSON NOT NULL,
  PRIMARY KEY (id)
);
CREATE TABLE schema_version (
  version SERIAL NOT NULL,
  PRIMARY KEY (version)
);
CREATE TABLE contests (
  id SERIAL NOT NULL,
  run_id VARCHAR NOT NULL,
  workload VARCHAR NOT NULL,
  setting JSON NOT NULL,
  stopping JSON NOT NULL,
  PRIMARY KEY (id),
  FOREIGN KEY(run_id) REFERENCES runs (id)
);
CREATE INDEX ix_contests_run_id ON contests (run_id);
CREATE TABLE entries (
  id SERIAL NOT NULL,
  contest_id INTEGER NOT NULL,
  label VARCHAR NOT NULL,
  framework VARCHAR NOT NULL,
  mode VARCHAR NOT NULL,
  lock VARCHAR,
  python VARCHAR,
  control_of VARCHAR,
  PRIMARY KEY (id),
  FOREIGN KEY(contest_id) REFERENCES contests (id)
);
CREATE INDEX ix_entries_contest_id ON entries (contest_id);
CREATE TABLE blocks (
  id SERIAL NOT NULL,
  entry_id INTEGER NOT NULL,
  at VARCHAR NOT NULL,
  session INTEGER NOT NULL,
  phase VARCHAR NOT NULL,
  round INTEGER NOT NULL,
  position INTEGER NOT NULL,
  first INTEGER NOT NULL,
  steps INTEGER NOT NULL,
  samples INTEGER NOT NULL,
  elapsed_s DOUBLE PRECISION NOT NULL,
  cpu_s DOUBLE PRECISION NOT NULL,
  loss DOUBLE PRECISION,
  learning_rate DOUBLE PRECISION,
  PRIMARY KEY (id),
  FOREIGN KEY(entry_id) REFERENCES entries (id)
);
CREATE INDEX ix_blocks_entry_id ON blocks (entry_id);
CREATE TABLE certifications (
  id SERIAL NOT NULL,
  entry_id INTEGER NOT NULL,
  certificate_id INTEGER NOT NULL,
  session INTEGER NOT NULL,
  PRIMARY KEY (id),
  FOREIGN KEY(entry_id) REFERENCES entries (id),
  FOREIGN KEY(certificate_id) REFERENCES certificates (id)
);
CREATE INDEX ix_certifications_entry_id ON certifications (entry_id);
CREATE TABLE events (
  id SERIAL NOT NULL,
  run_id VARCHAR NOT NULL,
  contest_id INTEGER,
  entry_id INTEGER,
  at VARCHAR NOT NULL,
  kind VARCHAR NOT NULL,
  payload JSON NOT NULL,
  PRIMARY KEY (id),
  FOREIGN KEY(run_id) REFERENCES runs (id),
  FOREIGN KEY(contest_id) REFERENCES contests (id),
  FOREIGN KEY(entry_id) REFERENCES entries (id)
);
CREATE INDEX ix_events_run_id ON events (run_id);
CREATE TABLE failures (
  id SERIAL NOT NULL,
  run_id VARCHAR NOT NULL,
  contest_id INTEGER,
  entry_id INTEGER,
  at VARCHAR NOT NULL,
  stage VARCHAR NOT NULL,
  kind VARCHAR NOT NULL,
  what VARCHAR NOT NULL,
  hint VARCHAR NOT NULL,
  details VARCHAR NOT NULL,
  PRIMARY KEY (id),
  FOREIGN KEY(run_id) REFERENCES runs (id),
  FOREIGN KEY(contest_id) REFERENCES contests (id),
  FOREIGN KEY(entry_id) REFERENCES entries (id)
);
CREATE INDEX ix_failures_run_id ON failures (run_id);
CREATE TABLE figures (
  id SERIAL NOT NULL,
  entry_id INTEGER NOT NULL,
  at VARCHAR NOT NULL,
  session INTEGER NOT NULL,
  name VARCHAR NOT NULL,
  value DOUBLE PRECISION NOT NULL,
  detail JSON NOT NULL,
  PRIMARY KEY (id),
  FOREIGN KEY(entry_id) REFERENCES entries (id)
);
CREATE INDEX ix_figures_entry_id ON figures (entry_id);
INSERT INTO schema_version (version) VALUES (1);
