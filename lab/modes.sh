# SPDX-License-Identifier: LGPL-3.0-or-later
# shellcheck shell=sh disable=SC2154,SC2034  # part of lab.sh
#
# modes.sh - the modes whose servers have no security. Those that have: secure.sh.

# --- up: the modes ----------------------------------------------------------------------------------------------------

# One data server.
mode_plain() {
    ports 1
    port=${ports% }
    tree data
    config data "xrd.port $port" "oss.localroot $dir/tree/data"
    start xrootd data || return 1
    await data "root://127.0.0.1:$port//data/file"
    url data "root://127.0.0.1:$port//data/file"
}

# A manager (xrootd and cmsd) and two data servers (likewise). The delays are the shortest that cmsd takes; look-ups are
# real ones: the manager's cmsd asks those of the data servers.
mode_cluster() {
    ports 4
    # shellcheck disable=SC2086  # four words
    set -- $ports
    config manager 'all.role manager' "all.manager localhost:$2" \
        'if exec cmsd' "xrd.port $2" 'else' "xrd.port $1" 'fi' \
        'cms.delay startup 1 lookup 1 qdl 1 service 1 suspend 1 drop 1 servers 1 hold 5' 'cms.conwait 1'
    for member in data1 data2; do
        if [ "$member" = data1 ]; then port=$3; else port=$4; fi
        tree "$member"
        config "$member" 'all.role server' "all.manager localhost:$2" "oss.localroot $dir/tree/$member" \
            'if exec xrootd' "xrd.port $port" 'fi'
    done
    printf 'only on data1\n' >"$dir/tree/data1/data/one"
    printf 'only on data2\n' >"$dir/tree/data2/data/two"
    # In this order: a server before its manager, or an xrootd before its cmsd, costs 6 to 10 s.
    start cmsd manager && start xrootd manager || return 1
    start_member data1 && start_member data2 || return 1
    await_members "data1:$3" "data2:$4" || return 1
    for path in one two file; do await manager "root://127.0.0.1:$1//data/$path"; done
    # A file that one server alone has: of /data/file the manager names each server in turn, and the second open of a
    # client would find no connection kept.
    url manager "root://127.0.0.1:$1//data/one"
    url data1 "root://127.0.0.1:$3//data/file"
    url data2 "root://127.0.0.1:$4//data/file"
}

start_member() { # NAME
    start cmsd "$1" && start xrootd "$1"
}

# Wait until the manager redirects to all members (NAME:PORT), by its logs: to ask it for a file earlier would only make
# it remember that there is none. About one start in 15 a member's first login is refused, and it would try again after
# 9 s: it is then started again.
await_members() { # NAME:PORT...
    clock
    again=$((now + rescue))
    until absent=$(absent_members "$@"); [ -z "$absent" ]; do
        check_limit "no cluster yet: waiting for ${absent% }" "$dir/log/${absent%% *}/cmsd.log"
        for member in $absent; do
            case $member in manager) continue ;; esac
            if [ "$now" -lt "$again" ] && ! grep -qs 'login failed; rejected' "$dir/log/$member/cmsd.log"; then
                continue
            fi
            say "$member has not joined: start it again"
            stop_servers "$dir" "$member" || die 1 "up: cannot end the servers of $member"
            rm -f "$dir/log/$member/cmsd.log"
            start_member "$member" || return 1
        done
        if [ "$now" -ge "$again" ]; then again=$((now + rescue)); fi
        sleep 0.03
    done
}

absent_members() { # NAME:PORT...
    for member; do
        grep -qs "Primary server.*:${member#*:} logged in" "$dir/log/manager/cmsd.log" || printf '%s ' "${member%:*}"
    done
    grep -qs 'Manager .* resumed' "$dir/log/manager/xrootd.log" || printf 'manager '
}

