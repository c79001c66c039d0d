# SPDX-License-Identifier: LGPL-3.0-or-later
# shellcheck shell=sh disable=SC2154,SC2034  # part of lab.sh; what is used here is set there
#
# up.sh - the folder of a lab, whom and where its servers run as, and the parts that modes are made of.

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
        'xrd.allow host 127.0.0.1' 'xrd.allow host [::1]' 'xrd.network nodnr' "$@" "$secured_lines" >"$config"
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
# this the server is warm. Sets code to what the last engine said.
probe() { # URL
    : >"$told"
    for engine in $engines; do
        code=0
        as_client "$XRDOPEN" --engine "$engine" --timeout "$answer_time" "$1" >/dev/null 2>>"$told" || code=$?
        case $code in
            0) return 0 ;;
            2|126|127)
                warn "up: $XRDOPEN cannot measure $1"
                show_log "$told"
                exit 1 ;;
        esac
    done
    return 1
}

# Run a command as a client that has nothing but what `xrdopen lab env` prints. The official library asks for the names
# of all addresses when it is loaded: not for long. Its plug-ins leak, and where this program was built with a
# sanitizer, that would make its exit code a failure's.
as_client() { # COMMAND...
    if [ ! -e "$dir/env" ]; then
        "$@"
        return
    fi
    # shellcheck disable=SC2046  # words without blanks
    env -u XrdSecPROTOCOL -u BEARER_TOKEN RES_OPTIONS='timeout:1 attempts:1' \
        ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0" $(cat "$dir/env") "$@"
}

check_limit() { # WHAT LOG
    if [ -e "$dir/stop" ]; then exit 130; fi
    clock
    if [ "$now" -lt "$deadline" ]; then return 0; fi
    warn "up: $1 after $((limit / 100)) s"
    show_log "$told"
    show_log "$2"
    exit 1
}

# Wait until URL, a file of server NAME, can be read. Where no engine that can do what the server demands was built (the
# last one is not there: code 4), it has to be enough, after a while, that the server has come up.
await() { # NAME URL
    clock
    tired=$((now + 200))
    until probe "$2"; do
        check_limit "$1: no answer for $2" "$dir/log/$1/xrootd.log"
        if [ "$code" -eq 4 ] && [ "$now" -ge "$tired" ]; then
            say "$1: it is up, but no engine here can read from it"
            return 0
        fi
        sleep 0.02
    done
}

# Remember URL under NAME for the user.
url() { # NAME URL
    printf '%s\t%s\n' "$1" "$2" >>"$dir/urls.new"
}

