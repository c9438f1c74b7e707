"""The shape of a project's file, as small named steps applied once each. A released step is never edited."""

import sqlite3
from collections.abc import Iterator

MIGRATIONS: tuple[tuple[str, str], ...] = (
    (
        "001_first",
        """
        create table project (name text not null, created text not null);
        create table documents (
            id text primary key, position integer not null, title text not null, path text not null,
            sha256 text not null, media_type text not null, text text not null, words integer not null,
            tokens integer not null, units text not null, date text, author text, warnings text not null
        );
        create unique index documents_position on documents (position);
        create table ledger (
            number integer primary key, path text not null, outcome text not null, reason text not null,
            document_id text not null, loaded text not null
        );
        create table tasks (id text primary key, text text not null);
        create table runs (
            id text primary key, task_id text not null references tasks (id), document_ids text not null,
            settings text not null, straight_through integer not null, state text not null, created text not null,
            error text not null default '', host text not null default '', endpoints text not null default '{}',
            pid integer, heartbeat real, stop integer not null default 0, seq integer not null default 0,
            accepted_version integer, note text not null default ''
        );
        create table calls (
            key text primary key, model text not null, host text not null, stage text not null,
            document_id text not null, round integer not null, part integer not null, step integer not null,
            attempt integer not null, messages text not null, shape text, max_tokens integer not null,
            temperature real not null, reply text not null, thinking text not null, finish text not null,
            prompt_tokens integer not null, cached_tokens integer not null, output_tokens integer not null,
            counted integer not null, seconds real not null, answered text not null
        );
        create table run_calls (
            run_id text not null references runs (id), key text not null references calls (key),
            reused integer not null, primary key (run_id, key)
        );
        create table focus (run_id text primary key references runs (id), look_for text not null);
        create table snippets (
            run_id text not null references runs (id), round integer not null, document_id text not null,
            text text not null, author text not null, foreign_terms text not null, left_out text not null,
            seq integer not null,
            primary key (run_id, round, document_id)
        );
        create table unread (
            run_id text not null references runs (id), stage text not null, round integer not null,
            document_id text not null, reason text not null, seq integer not null,
            primary key (run_id, stage, round, document_id)
        );
        create table schemas (
            run_id text not null references runs (id), version integer not null, schema text not null,
            author text not null, reason text not null, adjustments text not null, edit text, created text not null,
            primary key (run_id, version)
        );
        create table records (
            run_id text not null references runs (id), id text not null, position integer not null,
            type text not null, document_id text not null, field_values text not null, evidence text not null,
            said_by text, certainty text not null, unsupported text not null, seq integer not null,
            primary key (run_id, id)
        );
        create table parsed (
            run_id text not null references runs (id), document_id text not null, seq integer not null,
            primary key (run_id, document_id)
        );
        create table steps (
            run_id text not null references runs (id), number integer not null, thought text not null,
            code text not null, output text not null, fault text, proposed text, seconds real not null,
            seq integer not null, primary key (run_id, number)
        );
        create table answers (
            run_id text primary key references runs (id), text text not null, sentences text not null,
            mode text not null, unknown_citations text not null, finished text not null
        );
        create table graph_places (
            run_id text not null references runs (id), node text not null, x real not null, y real not null,
            primary key (run_id, node)
        );
        """,
    ),
    (
        "002_import",
        """
        alter table documents add column language text not null default '';
        alter table documents add column pages integer not null default 0;
        alter table documents add column unread_pages text not null default '[]';
        alter table documents add column parent text not null default '';
        alter table documents add column findings text not null default '[]';
        alter table documents add column held text not null default '';
        alter table ledger add column sha256 text not null default '';
        alter table ledger add column size integer;
        alter table ledger add column media_type text not null default '';
        alter table ledger add column locked integer not null default 0;
        alter table ledger add column pages integer not null default 0;
        alter table ledger add column pages_read integer not null default 0;
        alter table ledger add column import_id integer not null default 0;
        alter table ledger add column file_number integer not null default 0;
        create index ledger_document on ledger (document_id);
        create index ledger_sha256 on ledger (sha256);
        create table imports (
            id integer primary key, paths text not null, settings text not null, state text not null,
            listing text not null default '', total integer not null default 0, done integer not null default 0,
            current text not null default '',
            started text not null, ended text not null default '', error text not null default '',
            pid integer, heartbeat real, stop integer not null default 0
        );
        create table uploads (
            import_id integer not null, file_number integer not null, sha256 text not null, name text not null,
            primary key (import_id, file_number)
        );
        create table originals (sha256 text primary key, place text not null, path text not null);
        create table decisions (
            number integer primary key, document_id text not null, subject text not null, decision text not null,
            author text not null, note text not null, decided text not null
        );
        create table holding (kind text not null, value text not null, primary key (kind, value));
        """,
    ),
    (
        "003_search",
        """
        create table search_texts (
            number integer primary key, document_id text not null unique, starts blob not null, same text not null,
            sketch blob not null
        );
        create index search_texts_same on search_texts (same);
        create virtual table search_grams using fts5(
            text, tokenize = 'trigram case_sensitive 1', content = '', columnsize = 0, detail = none
        );
        create virtual table search_words using fts5(
            words, tokenize = 'ascii', content = '', columnsize = 0, detail = none
        );
        """,
    ),
    (
        "004_model_calls",
        """
        create table texts (id integer primary key, digest blob not null unique, text blob not null);
        alter table calls add column pieces text not null default '';
        alter table calls add column written_tokens integer not null default 0;
        create table asking (key text primary key, pid integer not null, since real not null);
        create table caps (
            run_id text primary key references runs (id), money real, currency text not null, tokens integer
        );
        create table digests (
            run_id text not null references runs (id), round integer not null, level integer not null,
            number integer not null, covers text not null, text text not null, cut integer not null,
            seq integer not null, primary key (run_id, round, level, number)
        );
        create table sights (
            run_id text not null references runs (id), stage text not null, round integer not null,
            document_id text not null, whole text not null, shortened text not null, digested text not null,
            primary key (run_id, stage, round, document_id)
        ) without rowid;
        """,
    ),
    (
        "005_workbench",
        """
        create table changes (
            number integer primary key, run_id text not null references runs (id), kind text not null,
            change text not null, schema_version integer not null, author text not null, note text not null,
            made text not null, undone text not null default '', undone_by text not null default '',
            seq integer not null
        );
        create index changes_run on changes (run_id);
        create table errands (
            id text primary key, run_id text not null references runs (id), kind text not null, asked text not null,
            state text not null, result text not null default '', error text not null default '',
            created text not null, ended text not null default '', pid integer, heartbeat real,
            stop integer not null default 0
        );
        create table trials (
            number integer primary key, run_id text not null references runs (id), step integer not null,
            begun_with integer not null, code text not null, output text not null, fault text, proposed text,
            seconds real not null, earlier text not null, author text not null, note text not null, made text not null
        );
        create index trials_run on trials (run_id);
        create index calls_about on calls (document_id, stage);
        alter table runs add column between_rounds integer not null default 0;
        alter table runs add column rounds_passed integer not null default 0;
        alter table runs add column steered text not null default '';
        alter table runs add column parent text not null default '';
        alter table runs add column relation text not null default '';
        alter table snippets add column carried integer not null default 0;
        alter table parsed add column version integer not null default 0;
        alter table parsed add column context text not null default '';
        alter table parsed add column to_ask text not null default '[]';
        alter table schemas add column made_by text not null default '';
        """,
    ),
    ("006_given", "alter table answers add column given text not null default '[]'"),
    ("007_shared", "alter table runs add column shared integer not null default 0"),
    (
        "008_walls",
        """
        alter table runs add column walls text not null default '';
        create table egress (
            number integer primary key, sent text not null, run_id text not null references runs (id),
            purpose text not null, host text not null, call text not null default '',
            document_id text not null default '', documents text not null default '', bytes_sent integer not null,
            bytes_received integer not null default 0, outcome text not null default ''
        );
        create index egress_run on egress (run_id);
        create index documents_held on documents (id) where held != '';
        create table audit (
            number integer primary key, at text not null, author text not null, event text not null,
            detail text not null, previous text not null, digest text not null
        );
        create trigger audit_kept before update on audit begin
            select raise(abort, 'The audit log is only added to.');
        end;
        create trigger audit_whole before delete on audit begin
            select raise(abort, 'The audit log is only added to.');
        end;
        create table queries (
            number integer primary key, name text not null, query text not null, author text not null, made text not null
        );
        """,
    ),
    (
        "009_methods",
        """
        create table built (
            number integer primary key, run_id text not null references runs (id), name text not null,
            built text not null, seq integer not null, unique (run_id, name)
        );
        create table vectors (
            model text not null, key text not null, call text not null, vector blob not null,
            primary key (model, key)
        );
        create table golds (task_id text primary key references tasks (id), gold text not null);
        create table verdicts (
            judged_by text primary key references runs (id), run_id text not null, gold text not null,
            answer text not null, verdict text not null default '', made text not null default ''
        );
        create index verdicts_run on verdicts (run_id);
        """,
    ),
)


def migrate(db: sqlite3.Connection, steps: tuple[tuple[str, str], ...] = MIGRATIONS) -> None:
    """Apply those of `steps` this file has not had, each in one transaction with its own entry."""
    db.execute("create table if not exists migrations (name text primary key, applied text not null)")
    done = {name for (name,) in db.execute("select name from migrations")}
    for name, script in steps:
        if name in done:
            continue
        db.execute("begin immediate")
        try:
            if db.execute("select 1 from migrations where name = ?", (name,)).fetchone() is None:
                for statement in _statements(script):
                    db.execute(statement)
                db.execute("insert into migrations values (?, datetime('now'))", (name,))
            db.execute("commit")
        except sqlite3.Error:
            db.execute("rollback")
            raise


def _statements(script: str) -> Iterator[str]:
    """The statements of a step; those of a trigger have semicolons within."""
    statement = ""
    for piece in script.split(";"):
        statement += f"{piece};"
        if sqlite3.complete_statement(statement):
            if statement.strip("; \n"):
                yield statement.rstrip(";")
            statement = ""
    if statement.strip("; \n"):
        yield statement.rstrip(";")
