CREATE TABLE certificates (
  id INTEGER NOT NULL,
  "key" VARCHAR NOT NULL,
  at VARCHAR NOT NULL,
  passed BOOLEAN NOT NULL,
  body JSON NOT NULL,
  digest VARCHAR NOT NULL,
  PRIMARY KEY (id)
);
CREATE INDEX ix_certificates_key ON certificates ("key");
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
  version INTEGER NOT NULL,
  PRIMARY KEY (version)
);
CREATE TABLE contests (
  id INTEGER NOT NULL,
  run_id VARCHAR NOT NULL,
  workload VARCHAR NOT NULL,
  setting JSON NOT NULL,
  stopping JSON NOT NULL,
  PRIMARY KEY (id),
  FOREIGN KEY(run_id) REFERENCES runs (id)
);
CREATE INDEX ix_contests_run_id ON contests (run_id);
CREATE TABLE entries (
  id INTEGER NOT NULL,
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
  id INTEGER NOT NULL,
  entry_id INTEGER NOT NULL,
  at VARCHAR NOT NULL,
  session INTEGER NOT NULL,
  phase VARCHAR NOT NULL,
  round INTEGER NOT NULL,
  position INTEGER NOT NULL,
  first INTEGER NOT NULL,
  steps INTEGER NOT NULL,
  samples INTEGER NOT NULL,
  elapsed_s DOUBLE NOT NULL,
  cpu_s DOUBLE NOT NULL,
  loss DOUBLE,
  learning_rate DOUBLE,
  PRIMARY KEY (id),
  FOREIGN KEY(entry_id) REFERENCES entries (id)
);
CREATE INDEX ix_blocks_entry_id ON blocks (entry_id);
CREATE TABLE certifications (
  id INTEGER NOT NULL,
  entry_id INTEGER NOT NULL,
  certificate_id INTEGER NOT NULL,
  session INTEGER NOT NULL,
  PRIMARY KEY (id),
  FOREIGN KEY(entry_id) REFERENCES entries (id),
  FOREIGN KEY(certificate_id) REFERENCES certificates (id)
);
CREATE INDEX ix_certifications_entry_id ON certifications (entry_id);
CREATE TABLE events (
  id INTEGER NOT NULL,
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
  id INTEGER NOT NULL,
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
  id INTEGER NOT NULL,
  entry_id INTEGER NOT NULL,
  at VARCHAR NOT NULL,
  session INTEGER NOT NULL,
  name VARCHAR NOT NULL,
  value DOUBLE NOT NULL,
  detail JSON NOT NULL,
  PRIMARY KEY (id),
  FOREIGN KEY(entry_id) REFERENCES entries (id)
);
CREATE INDEX ix_figures_entry_id ON figures (entry_id);
CREATE TRIGGER certificates_no_update BEFORE UPDATE ON certificates BEGIN SELECT RAISE(ABORT, 'results are append-only'); END;
CREATE TRIGGER certificates_no_delete BEFORE DELETE ON certificates BEGIN SELECT RAISE(ABORT, 'results are append-only'); END;
CREATE TRIGGER runs_no_update BEFORE UPDATE ON runs BEGIN SELECT RAISE(ABORT, 'results are append-only'); END;
CREATE TRIGGER runs_no_delete BEFORE DELETE ON runs BEGIN SELECT RAISE(ABORT, 'results are append-only'); END;
CREATE TRIGGER schema_version_no_update BEFORE UPDATE ON schema_version BEGIN SELECT RAISE(ABORT, 'results are append-only'); END;
CREATE TRIGGER schema_version_no_delete BEFORE DELETE ON schema_version BEGIN SELECT RAISE(ABORT, 'results are append-only'); END;
CREATE TRIGGER contests_no_update BEFORE UPDATE ON contests BEGIN SELECT RAISE(ABORT, 'results are append-only'); END;
CREATE TRIGGER contests_no_delete BEFORE DELETE ON contests BEGIN SELECT RAISE(ABORT, 'results are append-only'); END;
CREATE TRIGGER entries_no_update BEFORE UPDATE ON entries BEGIN SELECT RAISE(ABORT, 'results are append-only'); END;
CREATE TRIGGER entries_no_delete BEFORE DELETE ON entries BEGIN SELECT RAISE(ABORT, 'results are append-only'); END;
CREATE TRIGGER blocks_no_update BEFORE UPDATE ON blocks BEGIN SELECT RAISE(ABORT, 'results are append-only'); END;
CREATE TRIGGER blocks_no_delete BEFORE DELETE ON blocks BEGIN SELECT RAISE(ABORT, 'results are append-only'); END;
CREATE TRIGGER certifications_no_update BEFORE UPDATE ON certifications BEGIN SELECT RAISE(ABORT, 'results are append-only'); END;
CREATE TRIGGER certifications_no_delete BEFORE DELETE ON certifications BEGIN SELECT RAISE(ABORT, 'results are append-only'); END;
CREATE TRIGGER events_no_update BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'results are append-only'); END;
CREATE TRIGGER events_no_delete BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'results are append-only'); END;
CREATE TRIGGER failures_no_update BEFORE UPDATE ON failures BEGIN SELECT RAISE(ABORT, 'results are append-only'); END;
CREATE TRIGGER failures_no_delete BEFORE DELETE ON failures BEGIN SELECT RAISE(ABORT, 'results are append-only'); END;
CREATE TRIGGER figures_no_update BEFORE UPDATE ON figures BEGIN SELECT RAISE(ABORT, 'results are append-only'); END;
CREATE TRIGGER figures_no_delete BEFORE DELETE ON figures BEGIN SELECT RAISE(ABORT, 'results are append-only'); END;
INSERT INTO schema_version (version) VALUES (1);
