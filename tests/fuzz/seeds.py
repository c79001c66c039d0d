#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
# seeds.py - make the state machine's corpus from the transcripts: what the servers sent, behind a byte that says how the
# bytes are cut (tests/fuzz/client.c). Usage: seeds.py TRANSCRIPTS CORPUS
import pathlib
import sys

transcripts, corpus = map(pathlib.Path, sys.argv[1:3])
corpus.mkdir(parents=True, exist_ok=True)
for path in sorted(transcripts.glob("*.txt")):
    received = b"".join(bytes.fromhex(line.split("<", 1)[1].strip().replace(" ", "")) for line in path.read_text().splitlines()
                        if "<" in line and not line.startswith("#"))
    how = (1 if "pipeline" in path.name else 0) | 15 << 4
    (corpus / path.stem).write_bytes(bytes([how]) + received)
