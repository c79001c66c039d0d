#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# lab.sh - real XRootD servers on loopback: start them, show them, take them away without a trace.
#
# This file is part of the executable (xrdopen lab ...), which runs it with `sh -c TEXT xrdopen-lab ARGUMENTS` and sets
# XRDOPEN to its own path; so nothing here may rely on $0 or on a file beside this one.
#
# A lab is a folder, BASE/xrdopen-lab-UID/ID, and the servers whose command line names a file in it. That is how they
# are found again: no list of pids can be lost, and a lab is as good as its folder. In the folder:
#
#     lab              facts, one "key value" per line     hosts, nsswitch.conf   what the servers see in /etc
#     urls             name TAB url; written when ready    log/NAME/DAEMON.log    the servers' logs
#     NAME.cfg         configuration of server NAME        adm/                   their sockets and pid files
#     NAME.out         what it said before its log         tree/NAME/data/...     the files they serve
#
# A mode is a function mode_MODE, which may use: ports, tree, config, start, await, url. See the two at the end.
set -eu
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
export LC_ALL=C

: "${XRDOPEN:=xrdopen}"
modes='plain cluster'           # each has a function mode_MODE below
limit=3000                      # hundredths of a second in which a lab must be ready
rescue=140                      # ... after which a member of a cluster that has not joined is started again
grace=30                        # ... between SIGTERM and SIGKILL
verbose=''
dir=''                          # the folder of the lab being worked on
begun=''                        # set while a lab is half built: whatever ends the script removes it

# --- talk -------------------------------------------------------------------------------------------------------------

warn() { printf 'xrdopen: lab: %s\n' "$*" >&2; }
say() { if [ -n "$verbose" ]; then warn "$@"; fi; }

die() { # CODE TEXT...
    code=$1
    shift
    warn "$@"
    exit "$code"
}

# The end of a log, on standard error, whatever bytes it holds.
show_log() { # FILE
    [ -s "$1" ] || return 0
    printf '  %s ends with:\n' "$1" >&2
    tail -n 12 "$1" | tr -c '[:print:]\n' '?' | sed 's/^/    /' >&2
}

# --- small things -----------------------------------------------------------------------------------------------------

# Sets now: hundredths of a second since boot. No process, unlike date(1), and nobody can set it back.
clock() {
    read -r now _ </proc/uptime
    now=${now%.*}${now#*.}
    while [ "${now#0}" != "$now" ] && [ -n "${now#0}" ]; do now=${now#0}; done
}

# Sets started: when process PID began, in ticks since boot. Fails when there is none (a zombie is none).
start_time() { # PID
    { read -r stat <"/proc/$1/stat"; } 2>/dev/null || return 1
    # shellcheck disable=SC2086  # fields; the first two are gone, since the second may hold blanks
    set -- ${stat##*) }
    [ "$1" != Z ] || return 1
    started=${20}
}

# Is it still the same process PID that began at TICKS?
alive() { # PID TICKS
    start_time "$1" && [ "$started" = "$2" ]
}

one_of() { # WORD WORDS
    case " $2 " in *" $1 "*) return 0 ;; esac
    return 1
}

# The value of KEY in the facts of lab DIR.
fact() { # DIR KEY
    { while read -r key value; do
        if [ "$key" = "$2" ]; then printf '%s\n' "$value"; fi
    done <"$1/lab"; } 2>/dev/null || :
}

# --- where labs are ---------------------------------------------------------------------------------------------------

# Sets base, the folder of all labs of this user. It need not exist.
find_base() {
    uid=$(id -u)
    gid=$(id -g)
    wanted=${XRDOPEN_LAB_DIR:-${TMPDIR:-/tmp}}
    parent=$(cd -P -- "$wanted" 2>/dev/null && pwd -P) ||
        die 1 "$wanted: no such folder, or no way into it (it is from XRDOPEN_LAB_DIR or TMPDIR)"
    base=${parent%/}/xrdopen-lab-$uid
    case $base in
        *[!A-Za-z0-9_./@+=,:%-]*) die 1 "$base: a character in this path cannot stand in xrootd's configuration;" \
            "set XRDOPEN_LAB_DIR to another folder" ;;
    esac
    check_base
}

# Someone else may have made the folder, or a link, under our name in /tmp: nothing is read or written there then.
check_base() {
    if [ ! -e "$base" ] && [ ! -L "$base" ]; then return 0; fi
    if [ -L "$base" ] || [ ! -d "$base" ] || [ ! -O "$base" ]; then
        die 1 "$base: not a folder of yours (perhaps put there by someone else);" \
            "set XRDOPEN_LAB_DIR to a folder of your own"
    fi
    case $(stat -c %A "$base") in
        d????w????|d???????w?) die 1 "$base: others may write here; remove it, or chmod go-w" ;;
    esac
}

# The ids of all labs, one per line.
ids() {
    for path in "$base"/*/; do
        path=${path%/}
        id=${path##*/}
        case $id in *[!A-Za-z0-9]*) continue ;; esac
        if [ -d "$path" ] && [ ! -L "$path" ]; then printf '%s\n' "$id"; fi
    done
}

# Sets id and dir from what the user named; without a name, the only lab there is.
choose() { # COMMAND [ID]
    id=${2-}
    if [ -z "$id" ]; then
        # shellcheck disable=SC2046  # ids hold no blanks
        set -- "$1" $(ids)
        if [ $# -eq 1 ]; then die 1 "$1: no lab is up"; fi
        if [ $# -gt 2 ]; then
            command=$1
            shift
            die 2 "$command: there are several labs, name one: $*"
        fi
        id=$2
    fi
    case $id in *[!A-Za-z0-9]*) die 2 "$1: $id: not the id of a lab" ;; esac
    dir=$base/$id
    if [ ! -d "$dir" ]; then die 1 "$1: $id: no such lab (xrdopen lab list shows them)"; fi
}

# --- the servers of a lab ---------------------------------------------------------------------------------------------

# A line "PID DAEMON NAME" for every server of lab DIR that runs, found by its command line. Someone who reads a log of
# the lab names the folder too, so the program must be a server; and it must belong to us or to the user that servers
# run as.
servers_of() { # DIR
    owner=$(fact "$1" uid)
    { grep -lsF -e "$1/" /proc/[0-9]*/cmdline || :; } | while IFS=/ read -r _ _ pid _; do
        { read -r daemon <"/proc/$pid/comm"; } 2>/dev/null || continue
        case $daemon in xrootd|cmsd) ;; *) continue ;; esac
        its=$(stat -c %u "/proc/$pid" 2>/dev/null) || continue
        if [ "$its" != "$uid" ] && [ "$its" != "$owner" ]; then continue; fi
        name=$(tr '\0' '\n' 2>/dev/null <"/proc/$pid/cmdline" | sed -n '/^-n$/{n;p;}') || continue
        if [ -n "$name" ]; then printf '%s %s %s\n' "$pid" "$daemon" "$name"; fi
    done
}

# The pids of the servers of lab DIR, or of its server NAME only.
pids_of() { # DIR [NAME]
    servers_of "$1" | while read -r pid _ name; do
        if [ -z "${2-}" ] || [ "$2" = "$name" ]; then printf '%s ' "$pid"; fi
    done
}

# End them, and come back only when they are gone. Fails when one cannot be ended.
stop_servers() { # DIR [NAME]
    signal=TERM
    clock
    kill_at=$((now + grace))
    give_up=$((now + grace + 300))
    while pids=$(pids_of "$@"); [ -n "$pids" ]; do
        clock
        if [ "$now" -ge "$give_up" ]; then return 1; fi
        if [ "$now" -ge "$kill_at" ]; then signal=KILL; fi
        if [ -n "$signal" ]; then
            # shellcheck disable=SC2086  # several pids
            kill -s "$signal" $pids 2>/dev/null || :
            if [ "$signal" = TERM ]; then signal=''; fi
        fi
        sleep 0.02
    done
}

# Take away the servers and the folder of lab DIR, and the folder above it when that was the last.
remove() { # DIR
    if ! stop_servers "$1"; then
        warn "down: ${1##*/}: cannot end the servers with pid: $(pids_of "$1")"
        return 1
    fi
    rm -rf -- "$1" 2>/dev/null || :
    if [ -e "$1" ]; then
        warn "down: ${1##*/}: cannot remove $1"
        return 1
    fi
    rmdir -- "$base" 2>/dev/null || :
}

# --- up: the folder and who runs in it --------------------------------------------------------------------------------

check_tools() {
    missing=''
    for tool in xrootd cmsd; do
        command -v "$tool" >/dev/null || missing=$tool
    done
    if [ -n "$missing" ]; then
        die 4 "up: no $missing is installed, and the lab is made of real servers: apt-get install xrootd-server"
    fi
}

# Sets user and group, whom the servers run as: xrootd refuses to be root.
choose_user() {
    user=''
    group=$gid
    server_uid=$uid
    if [ "$uid" -ne 0 ]; then return 0; fi
    for user in xrootd nobody ''; do
        if [ -n "$user" ] && id "$user" >/dev/null 2>&1; then break; fi
    done
    if [ -z "$user" ]; then
        die 4 "up: xrootd refuses to run as root, and there is neither a user xrootd nor a user nobody"
    fi
    group=$(id -gn "$user")
    server_uid=$(id -u "$user")
}

# Sets id and dir and makes the folder. The servers own nothing in it but log/ and adm/: root need not trust them.
make_folder() {
    umask 022
    mkdir -m 700 -- "$base" 2>/dev/null || :
    check_base
    if [ ! -d "$base" ]; then die 1 "up: $base: cannot make this folder"; fi
    if [ "$uid" -eq 0 ]; then chmod 711 -- "$base"; fi
    for _ in 1 2 3 4 5 6; do
        id=$(od -An -N3 -tx1 /dev/urandom | tr -d ' \n')
        dir=$base/$id
        begun=$dir
        if mkdir -m 700 -- "$dir" 2>/dev/null; then break; fi
        begun=''
    done
    if [ -z "$begun" ]; then die 1 "up: cannot make a folder in $base"; fi
    longest=$dir/adm/manager/.olb/olbd.admin
    if [ ${#longest} -gt 107 ]; then
        die 1 "up: $dir: too long a path: xrootd makes sockets below it, and the path of a socket may have" \
            "107 characters at most (${#longest} here); set XRDOPEN_LAB_DIR to a shorter one"
    fi
    start_time "$PPID" || started=0
    creator="$PPID $started"
    start_time "$$"
    printf '%s\n' "mode $mode" "creator $creator" "starter $$ $started" "uid $server_uid" \
        "user ${user:-$(id -un)}" >"$dir/lab"
    mkdir "$dir/log" "$dir/adm" "$dir/tree"
    if [ "$uid" -eq 0 ]; then
        chown "$user:$group" "$dir/log" "$dir/adm"
        chgrp "$group" "$dir"
        chmod 750 "$dir"
    fi
}

# When a server starts it asks for the name of every address of this machine, and where a resolver loses packets it
# waits 5 s for each. So servers get an /etc/hosts that knows all addresses, and an nsswitch.conf that asks nothing
# else: in a mount namespace of their own, which root may make, and others inside a user namespace where the kernel lets
# them. Where it does not, the resolver is told to give up after a second.
make_hosts() {
    name=$(uname -n)
    {
        echo '127.0.0.1 localhost'
        echo '::1 localhost'
        "$XRDOPEN" lab addresses | while read -r address; do printf '%s %s\n' "$address" "$name"; done
        printf '127.0.0.1 %s\n' "$name"
    } >"$dir/hosts"
    { sed '/^[[:space:]]*hosts:/d' /etc/nsswitch.conf 2>/dev/null || :; echo 'hosts: files'; } >"$dir/nsswitch.conf"
}

# Runs in the new namespace: DIR COMMAND...
# shellcheck disable=SC2016  # for the inner shell
enter='d=$1; shift
mount --bind "$d/hosts" /etc/hosts && mount --bind "$d/nsswitch.conf" /etc/nsswitch.conf || exit 125
exec "$@"'

# Run a command as the servers run: way says how.
as_server() { # COMMAND...
    case $way in
        root-namespace) unshare -m --propagation private sh -c "$enter" lab "$dir" \
            setpriv --reuid "$user" --regid "$group" --init-groups "$@" ;;
        root) RES_OPTIONS='timeout:1 attempts:1' setpriv --reuid "$user" --regid "$group" --init-groups "$@" ;;
        namespace) unshare -U -r -m --propagation private sh -c "$enter" lab "$dir" \
            unshare -U --map-user="$uid" --map-group="$gid" "$@" ;;
        plain) RES_OPTIONS='timeout:1 attempts:1' "$@" ;;
    esac </dev/null 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
}

# Sets way, by trying.
choose_way() {
    make_hosts
    if [ "$uid" -eq 0 ]; then ways='root-namespace root'; else ways='namespace plain'; fi
    for way in $ways; do
        if as_server test -r "$dir/hosts" -a -w "$dir/log" 2>/dev/null; then
            case $way in
                *namespace) say "reverse name look-ups: servers see a hosts file of their own ($way)" ;;
                *) say "reverse name look-ups: no mount namespace; RES_OPTIONS='timeout:1 attempts:1' ($way)" ;;
            esac
            return 0
        fi
    done
    if [ "$uid" -ne 0 ]; then die 1 "up: $dir: cannot run a command in this folder"; fi
    die 1 "up: $dir: user $user, whom the servers run as, cannot work in this folder (is ${parent} open to others?);" \
        "set XRDOPEN_LAB_DIR to a folder that $user can reach, such as /tmp"
}

# Thousands of connections want as many descriptors. xrootd puts its files above half of the limit, so a huge one only
# makes huge tables.
raise_limits() {
    # shellcheck disable=SC3045  # not in POSIX, but in every sh of a system that has xrootd
    ulimit -n 65536 2>/dev/null || ulimit -S -n "$(ulimit -H -n)" 2>/dev/null || :
}

# --- up: what modes are made of ---------------------------------------------------------------------------------------

# Sets ports to COUNT free ones. They are free now: whoever takes one before the server does makes start fail, and then
# the mode runs again with others.
ports() { # COUNT
    ports=$("$XRDOPEN" lab free-ports "$1" | tr '\n' ' ') || ports=''
    if [ -z "$ports" ]; then die 1 "up: no free ports from $XRDOPEN lab free-ports"; fi
}

# The files that server NAME serves. Every 16 bytes of /data/file say their own offset.
tree() { # NAME
    data=$dir/tree/$1/data
    if [ -d "$data" ]; then return 0; fi
    mkdir -p "$data/dir"
    if [ ! -e "$dir/tree/file" ]; then
        awk 'BEGIN { for (i = 0; i < 1048576; i += 16) printf "offset %08x\n", i }' >"$dir/tree/file"
    fi
    cp "$dir/tree/file" "$data/file"
    printf 'Hello, world\n' >"$data/small"
    : >"$data/empty"
    printf 'a file in a folder\n' >"$data/dir/inner"
    printf 'not for the server\n' >"$data/unreadable"
    chmod 000 "$data/unreadable"
}

# The configuration of server NAME. Only this machine may connect (xrootd listens on every interface), nobody may write,
# and no connection makes the server look up a name.
config() { # NAME LINE...
    config=$dir/$1.cfg
    shift
    printf '%s\n' 'all.export /data readonly' "all.adminpath $dir/adm" "all.pidpath $dir/adm" \
        'xrd.allow host 127.0.0.1' 'xrd.allow host [::1]' 'xrd.network nodnr' "$@" >"$config"
}

# Start DAEMON (xrootd or cmsd) of server NAME; with -b it goes to the background when it can answer. Fails, with taken
# set, when its port has been taken meanwhile; any other failure ends everything.
start() { # DAEMON NAME
    log=$dir/log/$2/$1.log
    say "start $1 of $2"
    clock
    if [ "$now" -ge "$deadline" ]; then die 1 "up: no lab after $((limit / 100)) s: every server was slow to start"; fi
    # -s is for more than the pid: without it they write a file DAEMON.NAME.env to /tmp, whatever all.pidpath says.
    if as_server timeout --foreground -k 1 $(((deadline - now) / 100 + 1)) "$1" -b -c "$dir/$2.cfg" -n "$2" \
        -l "$dir/log/$1.log" -s "$dir/adm/$1.$2.pid" >>"$dir/$2.out" 2>&1
    then return 0; fi
    if grep -qs 'address already in use' "$log"; then
        taken=yes
        return 1
    fi
    warn "up: $1 of $2 did not start"
    show_log "$dir/$2.out"
    show_log "$log"
    exit 1
}

# Does URL answer to open, read, close? Its first open also makes the server's descriptor table grow (5-20 ms), so after
# this the server is warm.
probe() { # URL
    code=0
    "$XRDOPEN" --timeout 500ms "$1" >/dev/null 2>"$dir/probe.out" || code=$?
    case $code in
        0) return 0 ;;
        2|126|127)
            warn "up: $XRDOPEN cannot measure $1"
            show_log "$dir/probe.out"
            exit 1 ;;
    esac
    return 1
}

check_limit() { # WHAT LOG
    clock
    if [ "$now" -lt "$deadline" ]; then return 0; fi
    warn "up: $1 after $((limit / 100)) s"
    show_log "$dir/probe.out"
    show_log "$2"
    exit 1
}

# Wait until URL, a file of server NAME, can be read.
await() { # NAME URL
    until probe "$2"; do
        check_limit "$1: no answer for $2" "$dir/log/$1/xrootd.log"
        sleep 0.02
    done
}

# Remember URL under NAME for the user.
url() { # NAME URL
    printf '%s\t%s\n' "$1" "$2" >>"$dir/urls.new"
}

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

# --- commands ---------------------------------------------------------------------------------------------------------

# Whatever way the script ends, a lab half built goes.
leave() {
    code=$?
    trap - EXIT
    trap '' INT TERM HUP
    if [ -n "$begun" ]; then remove "$begun" || :; fi
    exit "$code"
}

command_up() { # MODE
    if [ $# -ne 1 ]; then die 2 "up: which mode? One of: $modes"; fi
    mode=$1
    one_of "$mode" "$modes" || die 2 "up: $mode: no such mode; there are: $modes"
    check_tools
    choose_user
    clock
    began=$now
    deadline=$((now + limit))
    trap leave EXIT
    trap 'die 130 "up: interrupted"' INT TERM HUP
    make_folder
    choose_way
    raise_limits
    for attempt in 1 2 3 4 5; do
        taken=''
        if "mode_$mode"; then break; fi
        if [ -z "$taken" ] || [ "$attempt" -eq 5 ]; then die 1 "up: no free port, five times"; fi
        say 'a port was taken meanwhile: once more with others'
        stop_servers "$dir" || die 1 'up: cannot end a server'
        rm -rf "$dir"/log/* "$dir"/adm/* "$dir"/urls.new
    done
    printf 'servers %s\n' "$(servers_of "$dir" | wc -l)" >>"$dir/lab"
    rm -f "$dir/probe.out" "$dir/tree/file"
    mv "$dir/urls.new" "$dir/urls"
    begun=''
    clock
    say "$id is ready after $(((now - began) * 10)) ms"
    if [ -n "$tabs" ]; then
        printf 'id\t%s\n' "$id"
        cat "$dir/urls"
        return 0
    fi
    show_urls "$dir" ''
    warn "$mode lab $id is up; xrdopen lab down $id takes it away"
}

show_urls() { # DIR INDENT
    { while read -r name address; do printf '%s%-8s %s\n' "$2" "$name" "$address"; done <"$1/urls"; } 2>/dev/null || :
}

# Sets mode, state and creator for lab DIR.
look() { # DIR
    mode=$(fact "$1" mode)
    running=$(servers_of "$1" | wc -l)
    # shellcheck disable=SC2046  # two words each
    if [ -e "$1/urls" ]; then
        case $running in
            "$(fact "$1" servers)") state=up ;;
            0) state=down ;;
            *) state=partly ;;
        esac
    elif alive $(fact "$1" starter) 0 0; then
        state=starting
    else
        state=unfinished
    fi
    creator=$(fact "$1" creator)
    # shellcheck disable=SC2086
    if [ -n "$creator" ] && alive $creator; then creator="${creator% *} alive"; else creator="${creator% *} dead"; fi
}

command_list() {
    for id in $(ids); do
        look "$base/$id"
        printf '%-6s  %-8s  %-10s  creator %-14s  %s\n' "$id" "${mode:-?}" "$state" "$creator" "$base/$id"
    done
}

show_status() { # DIR
    look "$1"
    printf '%s: %s, %s\n' "${1##*/}" "${mode:-?}" "$state"
    printf '  folder   %s\n  creator  %s\n  user     %s\n' "$1" "$creator" "$(fact "$1" user)"
    servers=$(servers_of "$1")
    for config in "$1"/*.cfg; do
        if [ ! -e "$config" ]; then break; fi
        name=${config##*/}
        name=${name%.cfg}
        for daemon in cmsd xrootd; do
            if [ ! -e "$1/log/$name/$daemon.log" ]; then continue; fi
            pid=$(printf '%s\n' "$servers" | sed -n "s/^\([0-9]*\) $daemon $name\$/\1/p" | tr '\n' ' ')
            if [ -n "$pid" ]; then now_is="up, pid ${pid% }"; else now_is=down; fi
            printf '  server   %-8s %-6s %s\n' "$name" "$daemon" "$now_is"
        done
    done
    show_urls "$1" '  url      '
}

command_status() { # [ID]
    if [ $# -gt 0 ]; then
        choose status "$1"
        show_status "$dir"
        return 0
    fi
    for id in $(ids); do show_status "$base/$id"; done
}

command_urls() { # [ID]
    choose urls "${1-}"
    if [ ! -e "$dir/urls" ]; then die 1 "urls: $id: not ready"; fi
    cat "$dir/urls"
}

command_down() { # [ID|all]
    failed=0
    if [ "${1-}" = all ]; then
        for id in $(ids); do remove "$base/$id" || failed=1; done
        return "$failed"
    fi
    choose down "${1-}"
    remove "$dir"
}

main() {
    tabs=''
    words=''
    for word; do
        case $word in
            -v|--verbose) verbose=yes ;;
            --tabs) tabs=yes ;;
            -*) die 2 "$word: no such option; see xrdopen lab --help" ;;
            *[!A-Za-z0-9]*|'') die 2 "'$word': not understood; see xrdopen lab --help" ;;
            *) words="$words $word" ;;
        esac
    done
    # shellcheck disable=SC2086  # letters and digits only
    set -- $words
    if [ $# -eq 0 ] || ! one_of "$1" 'up down status list urls'; then
        die 2 "${1:-which command?}${1:+: no such command}; there are: up down status list urls"
    fi
    command=$1
    shift
    if [ $# -gt 1 ] || { [ "$command" = list ] && [ $# -gt 0 ]; }; then die 2 "$command: too many words"; fi
    find_base
    "command_$command" "$@"
}

main "$@"
