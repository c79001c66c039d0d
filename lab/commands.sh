# SPDX-License-Identifier: LGPL-3.0-or-later
# shellcheck shell=sh disable=SC2154,SC2034  # part of lab.sh
#
# commands.sh - up, down, status, list, urls, env; and main. The last part of lab.sh.

# --- commands ---------------------------------------------------------------------------------------------------------

# Whatever way the script ends, a lab half built goes. First what still runs in the background has to end: it could
# start one more server.
leave() {
    ending=$?
    trap - EXIT
    trap '' INT TERM HUP
    if [ -n "$begun" ]; then
        : >"$begun/stop" || :
        wait
        remove "$begun" || :
    fi
    exit "$ending"
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
    told=$dir/all.probe
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
    rm -f "$dir"/*.probe "$dir/tree/file"
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
    if [ -s "$dir/env" ]; then warn "xrdopen lab env $id prints what clients must have in their environment"; fi
    warn "$mode lab $id is up; xrdopen lab down $id takes it away"
}

show_urls() { # DIR INDENT
    { awk -F '\t' -v indent="$2" '
        { name[NR] = $1; url[NR] = $2; if (length($1) > width) width = length($1) }
        END {
            if (width < 8) width = 8
            for (i = 1; i <= NR; i++) printf "%s%-" width "s %s\n", indent, name[i], url[i]
        }' "$1/urls"; } 2>/dev/null || :
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
        printf '%-6s  %-13s  %-10s  creator %-14s  %s\n' "$id" "${mode:-?}" "$state" "$creator" "$base/$id"
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
        for daemon in cmsd xrootd krb5kdc; do
            if [ ! -e "$1/log/$name/$daemon.log" ]; then continue; fi
            pid=$(printf '%s\n' "$servers" | sed -n "s/^\([0-9]*\) $daemon $name\$/\1/p" | tr '\n' ' ')
            if [ -n "$pid" ]; then now_is="up, pid ${pid% }"; else now_is=down; fi
            printf '  server   %-14s %-7s %s\n' "$name" "$daemon" "$now_is"
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

command_env() { # [ID]
    choose env "${1-}"
    if [ ! -e "$dir/urls" ]; then die 1 "env: $id: not ready"; fi
    if [ -e "$dir/env" ]; then cat "$dir/env"; fi
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
    if [ $# -eq 0 ] || ! one_of "$1" 'up down status list urls env'; then
        die 2 "${1:-which command?}${1:+: no such command}; there are: up down status list urls env"
    fi
    command=$1
    shift
    if [ $# -gt 1 ] || { [ "$command" = list ] && [ $# -gt 0 ]; }; then die 2 "$command: too many words"; fi
    find_base
    "command_$command" "$@"
}

main "$@"
