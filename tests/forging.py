"""Hands that forge evidence bundles: they change a member or the store inside, and cover their tracks as well as asked."""

import hashlib
import io
import json
import sqlite3
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from pydantic import TypeAdapter

from r3con_core.exports.manifest import MANIFEST, Manifest, Member, written
from r3con_core.exports.runfile import told_files
from r3con_core.store.copies import copy_run
from r3con_core.store.project import FILE, create_project
from r3con_core.store.runs import list_runs

Members = dict[str, bytes]


def members_of(bundle: bytes) -> Members:
    """Name -> bytes."""
    with zipfile.ZipFile(io.BytesIO(bundle)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(members: Mapping[str, bytes]) -> bytes:
    """The members as they are, in one file."""
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return into.getvalue()


def manifest_in(members: Mapping[str, bytes]) -> Manifest:
    """What the members' manifest says."""
    manifest: Manifest = TypeAdapter(Manifest).validate_json(members[MANIFEST])
    return manifest


def rehashed(members: Members) -> Members:
    """The members with a manifest whose hashes all fit."""
    manifest = manifest_in(members)
    others = {name: data for name, data in members.items() if name != MANIFEST}
    hashes = {name: Member(sha256=hashlib.sha256(data).hexdigest(), bytes=len(data)) for name, data in others.items()}
    made = replace(manifest, files=hashes)
    return {MANIFEST: written(replace(made, chain=made.chained())), **others}


def made_afresh(members: Members) -> Members:
    """The members with reports, tables and texts made anew from the store, as a patient forger would."""
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "forged.sqlite"
        store.write_bytes(members[FILE])
        project = create_project(Path(folder), "Forged")
        run_id = manifest_in(members).run
        copy_run(store, project, run_id)
        assert [run.id for run in list_runs(project)] == [run_id]
        told = told_files(project, run_id)
        project.close()
    return {MANIFEST: members[MANIFEST], FILE: members[FILE], **told}


Forge = Callable[[Members], Members]


def in_store(*statements: str) -> Forge:
    """The store inside, changed by SQL."""

    def forge(members: Members) -> Members:
        with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
            db.deserialize(members[FILE])
            before = db.total_changes
            for statement in statements:
                db.execute(statement)
            assert db.total_changes > before, "the forger changed nothing"
            return {**members, FILE: db.serialize()}

    return forge


def in_member(name: str, before: str, after: str) -> Forge:
    """Words of one readable member."""

    def forge(members: Members) -> Members:
        text = members[name].decode()
        assert before in text, "the forger changed nothing"
        return {**members, name: text.replace(before, after, 1).encode()}

    return forge


def in_manifest(**changes: object) -> Forge:
    """What the manifest says of the run; its own hash stays."""

    def forge(members: Members) -> Members:
        return {**members, MANIFEST: json.dumps({**json.loads(members[MANIFEST]), **changes}).encode()}

    return forge
