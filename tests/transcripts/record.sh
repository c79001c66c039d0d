#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# record.sh - make the transcripts anew:  XRDOPEN=build/xrdopen sh tests/transcripts/record.sh
#
# Starts a cluster, runs xrdopen against it with record.c preloaded, and writes NAME.txt beside this script: the settings
# of the client, then what its connections said (record.c). tests/unit/transcripts.c replays them, and holds each to the
# outcome that stands there. XRDOPEN must not be built with sanitizers, which want to be loaded first.
set -eu
: "${XRDOPEN:?the executable to record}"
XRDOPEN=$(command -v "$XRDOPEN")
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
chmod 755 "$work"
XRDOPEN_LAB_DIR=$work
export XRDOPEN_LAB_DIR
trap '"$XRDOPEN" lab down all >/dev/null 2>&1 || :; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP

"${CC:-cc}" -std=c17 -D_GNU_SOURCE -Wall -Wextra -shared -fPIC -o "$work/record.so" "$here/record.c" -ldl
"$XRDOPEN" lab up cluster >/dev/null
version=$(xrootd -v 2>&1 || :)

# NAME SERVER PATH [OPTION...]: a sample of PATH at that server of the lab
record() {
    name=$1 server=$2 path=$3
    shift 3
    url=$("$XRDOPEN" lab urls | awk -F '\t' -v name="$server" '$1 == name { print $2; exit }' | cut -d / -f 1-3)
    rm -f "$work/lines"
    LD_PRELOAD=$work/record.so XRDOPEN_RECORD=$work/lines "$XRDOPEN" "$@" "$url/$path" >"$work/said" 2>&1 || :
    {
        echo "# $name: $path at $server of a cluster, xrootd $version"
        echo "user $(id -un)"
        echo "path $path"
        [ $# -eq 0 ] || echo pipeline
        cat "$work/lines"
    } >"$here/$name.txt"
    echo "$name: $(tail -n 1 "$work/said")"
}

record data-good       data1   /data/file
record data-missing    data1   /data/missing
record data-empty      data1   /data/empty
record data-directory  data1   /data/dir
record data-unreadable data1   /data/unreadable
record data-pipeline   data1   /data/file --pipeline
record manager-good    manager /data/file
record manager-missing manager /data/missing
record manager-pipeline manager /data/file --pipeline
