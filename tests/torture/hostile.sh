#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# hostile.sh - servers that break every rule: what is reported of each, that it ends in time, that memory stays bounded, that
# nothing crashes. The rows are those of the list of hostile behaviour that the scripts' server names refer to; a row with
# several forms has several lines. What concerns requests that this client does not make is skipped, and said so.   (TAP)
#
# shellcheck source=tests/cases/lib.sh
. "$(dirname "$0")/../cases/lib.sh"

torture=$XRDOPEN_SOURCE/tests/torture

# Take a sample of each server of the table on standard input, and hold it to what stands there. Columns, apart by two
# blanks: row, server, limit (quick: it has to end long before; slow: its own limit), status and phase of the error (regular
# expressions; "good -": no error), pattern of the message, and what else has to be true of the sample (Python, may be left
# out). A server of "-" is a row that is not tried, with the reason.
hostile() { # SCRIPT
    imposter "$torture/$1"
    cat >"$work/table"
    cat "$work/table" >>"$work/all-tables"
    for limit in quick slow; do
        awk -v limit=$limit '$3 == limit && $2 != "-" { print $2 }' "$work/table" | while read -r server; do
            printf '%s=%s\n' "$server" "$(url "$server")"
        done >"$work/targets"
        if [ ! -s "$work/targets" ]; then continue; fi
        if [ $limit = quick ]; then seconds=10; else seconds=0.5; fi
        measure -t "${seconds}s"
        judge_with $limit $seconds <"$work/judgement.py"
    done
    imposter_end
}

cat >"$work/judgement.py" <<'P'
limit = float(arguments[1])

def strays(one):
    return sum(op.raw.get("stray_count", 0) for op in one.ops.values())

def messages(one):
    return sum(op.raw.get("message_count", 0) for op in one.ops.values())

def judged(one, status, phase, pattern, facts):
    if one is None:
        return ["there is no sample of it"]
    wrong = []
    got = one.error or {"status": "good", "phase": "-"}
    if not re.fullmatch(status, got["status"]):
        wrong.append("status %s" % got["status"])
    if not re.fullmatch(phase, got.get("phase", "other")):
        wrong.append("phase %s" % got.get("phase", "other"))
    if pattern and not re.search(pattern, one.message):
        wrong.append("the message does not match %s" % pattern)
    if one.message != one.message.encode("ascii", "replace").decode() or re.search(r"[\x00-\x1f\x7f]", one.message):
        wrong.append("the message is not escaped")
    if one.total > limit + LATE:
        wrong.append("it took %.3f s" % one.total)
    if arguments[0] == "quick" and one.total > limit - 1:
        wrong.append("it took %.3f s, nearly its limit" % one.total)
    if facts and not eval(facts):       # pylint: disable=eval-used
        wrong.append("not true: %s" % facts)
    return wrong and wrong + ["message: " + one.message]

for line in lines(work + "/table"):
    fields = re.split(r"\s{2,}", line.strip()) + [""] * 3
    if len(fields) < 6:
        continue
    row, server, wanted, status, phase, pattern, facts = fields[:7]
    if wanted != arguments[0] or server == "-":
        continue
    wrong = judged(samples.get(server), status, phase, pattern, facts)
    check("row %s: %s: %s" % (row, server, status), not wrong, "\n".join(wrong))
P

hostile connect.imp <<'T'
01   r01         slow   timeout         handshake          no answer from .*: the answer to the handshake
02   r02a        quick  closed          handshake          closed the connection
02   r02b        quick  closed|connect  handshake|connect  closed the connection|reset
03   r03a        quick  protocol        handshake          no xroot server; it answers
03   r03b        quick  protocol        handshake          no xroot server; it answers
03   r03c        quick  protocol        handshake          no xroot server; it answers
03   r03d        quick  protocol        handshake          no xroot server; it answers: HTTP/1\.1 400 Bad
03   r03e        quick  protocol        handshake          no xroot server; it answers: (\\xff){16}$
03   r03f        quick  protocol        handshake          no xroot server; it answers: SSH-2\.0
04   r04a        quick  closed          handshake          closed the connection.*in the middle of an answer
04   r04b        quick  closed          handshake          closed the connection.*in the middle of an answer
04   r04c        quick  closed          login              closed the connection.*in the middle of an answer
04   r04d        quick  closed          request            closed the connection.*in the middle of an answer
35   r35a        quick  protocol        handshake          neither good nor an error
35   r35b        quick  protocol        login              neither good nor an error
35   r35c        quick  protocol        transfer           redirect in answer to a request on an open file
35   r35d        quick  protocol        handshake          no xroot server
47   r47a        quick  protocol        handshake          kXR_protocol is too short
47   r47b        quick  protocol        handshake          kXR_protocol is too short
48   r48a        quick  good            -
48   r48b        quick  good            -
48   r48c        quick  good            -
48   r48d        quick  good            -
48   r48e        quick  good            -
49   r49         slow   timeout|tls     tls|handshake      (?i)tls
51   r51         quick  protocol|tls    tls|handshake|other  (?i)tls
53   r53         quick  tls             handshake          (?i)tls
53   r53b        quick  tls             handshake          (?i)tls
54   r54a        quick  protocol        login              kXR_login is too short
54   r54b        quick  protocol        login              kXR_login is too short
54   r54c        quick  protocol        login              kXR_login is too short
54   r54d        quick  good            -
54   r54e        quick  good            -
55   r55a        quick  auth            auth|login         authentication
55   r55b        quick  auth            auth|login         authentication.*foo
55   r55c        quick  protocol        login              longer than any of its kind
55   r55d        quick  auth            auth|login         authentication
56   r56         quick  auth            auth|login         authentication.*ztn
57   r57         quick  auth            auth|login         authentication.*unix
58   r58         quick  auth            auth|login         authentication.*unix
59   r59         quick  auth|server     login|request      authentica
37   login-wait  quick  good            -                  ^$  one["first_open"].phases[0, "wait"] >= 1
68   r68a        quick  closed          request            closed the connection
68   r68b        quick  closed          request            closed the connection
72   r72a        slow   timeout         handshake          no answer from
72   r72b        slow   timeout         request            no answer from
69   r69b        slow   timeout         transfer           half an answer from
52   -           -      the imposter has no certificate to be wrong: that is tested with TLS
T

hostile framing.imp <<'T'
05   r05a        quick  protocol        request            longer than any of its kind
05   r05b        quick  protocol        request            more data than was asked for
06   r06a        quick  protocol        request            negative length
06   r06b        quick  protocol        login              negative length
07   r07a        slow   timeout         transfer           half an answer from
07   r07b        slow   timeout         request|transfer   no answer from|half an answer
07   r07c        slow   timeout|protocol  request|transfer  no answer from|longer than any|half an answer  "error" not in one["first_open"].raw
08   r08a        quick  good            -                  ^$  strays(one) == 2
08   r08b        slow   timeout         request            no answer from  strays(one) == 1
08   r08c        quick  protocol        request            too many answers that nobody waits for  strays(one) == 1001
09   r09         slow   timeout         request            no answer from  strays(one) == 1
10   r10a        quick  good            -                  ^$  strays(one) == 2
10   r10b        quick  good            -                  ^$  strays(one) >= 1
10   r10c        quick  good            -                  ^$  strays(one) == 2
11   r11a        quick  protocol        transfer           a status that this request cannot have
11   r11b        quick  protocol        transfer           a status that this request cannot have
11   r11c        quick  protocol        transfer           a status that this request cannot have
23   r23a        quick  protocol        transfer           a status that this request cannot have
23   r23b        quick  protocol        transfer           a status that this request cannot have
23   r23c        quick  protocol        transfer           a status that this request cannot have
40   r40         slow   timeout         defer              deferred its answer and did not give it
41   r41         quick  good            -                  ^$  one["first_open"].phases[0, "defer"] >= 0.3 - EARLY
42   r42a        quick  protocol        defer|transfer     kXR_attn is not understood
42   r42b        quick  protocol        defer|transfer     kXR_attn is not understood
42   r42c        quick  protocol        defer|transfer     kXR_attn is not understood
42   r42d        quick  protocol        defer|transfer     kXR_attn is not understood
43   r43         quick  good            -                  ^$  strays(one) == 1
44   r44a        slow   timeout|protocol  defer|transfer   deferred its answer|kXR_attn|cannot have
44   r44b        quick  protocol        transfer           a status that this request cannot have
44   r44c        quick  protocol        transfer           defers again
44   r44d        quick  protocol        transfer           a status that this request cannot have
44   r44e        quick  good            -
44   r44f        quick  good            -                  ^$  len(one["first_open"].waits) == 2
44   r44g        quick  good            -
45   r45         quick  good            -                  ^$  messages(one) == 0 and strays(one) == 0
46   r46a        quick  good            -                  ^$  messages(one) == 4000
46   r46b        slow   timeout         request            no answer from  messages(one) > 100
63   r63         quick  good            -                  ^$  one["first_open"].phases[0, "request"] >= 0.3 - TICK
70   r70a        quick  closed          request|transfer   closed the connection: .*Connection reset.*in the middle of an answer
70   r70b        quick  closed          transfer           closed the connection: .*Connection reset.*in the middle of an answer
71   r71         quick  good            -
74   r74a        quick  closed          request            closed the connection
74   r74b        quick  closed          request            closed the connection: Connection reset
74   r74c        quick  closed          request            closed the connection
T

hostile redirects.imp <<'T'
27   r27a        quick  protocol        transfer           redirect names no host
27   r27b        quick  protocol        transfer           redirect names no host
27   r27c        quick  protocol        transfer           redirect names no host
28   r28a        quick  protocol        transfer           redirect to an impossible port
28   r28b        quick  protocol        transfer           redirect to an impossible port
29   r29a        quick  redirects       transfer           redirect limit  len(one["first_open"].hops) == 17
29   r29b        quick  redirects       transfer           redirect limit  [hop.get("same_as") for hop in one["first_open"].hops[:4]] == [None, None, 0, 1]
29   r29d        quick  redirects       transfer           redirect limit  len(one["first_open"].hops) == 17
30   r30a        quick  resolve         resolve            no\.such\.host\.invalid: .*not known  len(one["first_open"].hops) == 2
30   r30b        quick  connect         connect            refused: Connection refused  way(one["first_open"]) == "r30b redirected, dead broken"
30   r30c        quick  good            -                  ^$  way(one["first_open"]) == "r30c redirected, dead broken, r30c redirected, good answered"
31   r31a        quick  protocol        transfer           redirect to a URL that cannot be followed: http://127
31   r31b        quick  protocol        transfer           redirect to a URL that cannot be followed: root:///data/file$
31   r31c        quick  protocol        transfer           redirect to a URL that cannot be followed: root://$
31   r31d        quick  protocol        transfer           redirect to a URL that cannot be followed: this is no URL$
31   r31e        quick  good            -
31   r31f        quick  good            -
32   r32a        quick  protocol        transfer           redirect has control characters
32   r32b        quick  protocol        transfer           redirect has control characters
32   r32c        quick  protocol        request            longer than any of its kind
32   r32d        quick  good            -
32   r32e        quick  protocol        request            longer than any of its kind
32   r32f        quick  protocol        transfer           host.* too long
34   -           -      there is no such option yet: a redirect to a private address is followed as any other
75   r75         quick  protocol        transfer           redirect has control characters
35   read-redirect  quick  protocol     transfer           redirect in answer to a request on an open file
36   r36a        quick  protocol        transfer           kXR_wait is too short
36   r36b        quick  protocol        transfer           kXR_wait is too short
37   r37a        quick  protocol        transfer           wait of less than 0 s
37   r37b        quick  timeout         wait               asked for 1000000 s, "eleven days"  one.error["limit"] == "--timeout"
37   r37c        quick  timeout         wait               asked for 2147483647 s  one.error["limit"] == "--timeout"
38   r38a        slow   stalled         wait               no progress: .* keeps ordering waits \(\d+ of them, 0 s asked in all\).*at once
38   r38b        quick  good            -                  ^$  one["first_open"].hops[0]["wait_count"] == 3
39   r39         slow   timeout|stalled  wait              asked for 1 s, "busy"|no progress
T

hostile answers.imp <<'T'
12   r12a        quick  protocol        request            more data than was asked for
12   r12c        quick  protocol        transfer           answer is too long
13   r13a        quick  protocol        transfer           kXR_oksofar without data, again and again
13   r13b        quick  protocol        transfer           kXR_oksofar without data, again and again
14   r14a        quick  protocol        request            more data than was asked for
14   r14b        quick  protocol        transfer           more data than was asked for
15   r15a        quick  short           transfer|request   fewer bytes than asked for: the file is longer
15   r15b        quick  good            -
24   r24a        quick  protocol        transfer           error answer is too short
24   r24b        quick  protocol        transfer           error answer is too short
25   r25a        quick  server          request            3011 NotFound: no NUL behind this$
25   r25b        quick  server          request            3011 NotFound: red \\x1b\[31m bell \\x07 line\\x0anext \\x00 hidden %s%n \\xc3\\xa4 \\xff$
25   r25c        quick  protocol        request            longer than any of its kind
26   r26a        quick  server          request            answered with an error: .*zero$
26   r26b        quick  server          request            answered with an error: 4321: unheard of$  one.error["server_code"] == 4321
26   r26c        quick  server          request            answered with an error: -1: minus one$  one.error["server_code"] == -1
60   r60a        quick  protocol        transfer           too short for a file handle
60   r60b        quick  protocol        transfer           too short for a file handle
16   -           -      this client sends no kXR_readv
17   -           -      this client sends no kXR_readv
18   -           -      this client sends no kXR_pgread
19   -           -      this client sends no kXR_pgread
20   -           -      this client sends no kXR_pgread
21   -           -      this client sends no kXR_pgread
22   -           -      this client sends no kXR_pgread
64   -           -      this client sends no kXR_dirlist
65   -           -      this client sends no kXR_locate
66   -           -      this client sends no kXR_bind
67   -           -      this client sends no kXR_bind
73   -           -      this client sends no kXR_bind
T

hostile more.imp <<'T'
04   r04e        quick  closed          handshake          closed the connection.*in the middle of an answer
04   r04f        quick  closed          handshake          closed the connection.*in the middle of an answer
04   r04g        quick  closed          login              closed the connection.*in the middle of an answer
04   r04h        quick  closed          request            closed the connection.*in the middle of an answer
04   r04i        quick  closed          transfer           closed the connection.*in the middle of an answer
70   r70c        quick  closed          handshake          closed the connection: .*Connection reset.*in the middle of an answer
70   r70d        quick  closed          login              closed the connection: .*Connection reset.*in the middle of an answer
70   r70e        quick  closed          request            closed the connection: .*Connection reset.*in the middle of an answer
07   r07d        slow   timeout         handshake          no answer from .*: the answer to the handshake
07   r07e        slow   timeout         handshake          no answer from .*: the answer to kXR_protocol
07   r07f        slow   timeout         login              no answer from .*: the answer to kXR_login
05   r05c        quick  protocol        handshake          longer than any of its kind
05   r05d        quick  protocol        login              longer than any of its kind
05   r05e        quick  protocol        request            longer than any of its kind
05   r05f        quick  protocol        request            longer than any of its kind
05   r05g        quick  protocol        request            longer than any of its kind
05   r05h        quick  protocol        request            longer than any of its kind
05   r05i        quick  protocol        request            longer than any of its kind
05   r05j        slow   timeout         request            no answer from
06   r06c        quick  protocol        handshake          negative length
06   r06d        quick  protocol        request            negative length
06   r06e        quick  protocol        request            negative length
06   r06f        quick  protocol        request            negative length
06   r06g        quick  protocol        request            negative length
08   r08d        quick  good            -                  ^$  strays(one) == 1
08   r08e        quick  protocol        login              too many answers that nobody waits for
08   r08f        quick  good            -                  ^$  strays(one) == 1
08   r08g        quick  protocol        request            too many answers that nobody waits for
08   r08h        quick  good            -                  ^$  strays(one) >= 1
11   r11d        quick  protocol        handshake          neither good nor an error
11   r11e        quick  protocol        login              neither good nor an error
11   r11f        quick  protocol        transfer           a status that this request cannot have
11   r11g        quick  protocol        login              neither good nor an error
11   r11h        quick  protocol        transfer           kXR_oksofar in answer to a request that has no data
11   r11i        quick  protocol        login              neither good nor an error
12   r12d        quick  protocol        transfer           kXR_oksofar in answer to a request that has no data
14   r14c        quick  protocol        transfer           more data than was asked for
14   r14d        quick  protocol        transfer           more data than was asked for
25   r25d        quick  server          request            3011 NotFound: long long  len(one.error["text"]) == 511
26   r26d        quick  server          login              3024 Overloaded: too many clients \\x1b\[5m$
26   r26e        quick  server          handshake          answered with an error: 4711: no protocol today$
28   r28c        quick  protocol        transfer           redirect to an impossible port
29   r29e        quick  redirects       transfer           redirect limit  [hop.get("same_as") for hop in one["first_open"].hops[:5]] == [None, None, None, 0, 1]
31   r31g        quick  good            -
33   r31h        quick  tls             handshake|transfer  (?i)tls  way(one["first_open"]) == "r31h redirected, good broken"
50   r50         quick  tls             handshake          (?i)tls  way(one["first_open"]) == "r50 redirected, r50-deaf-to-tls broken"
31   r31i        quick  protocol        transfer           redirect to a URL that cannot be followed: file://127
31   r31j        quick  protocol        transfer           redirect to a URL that cannot be followed
31   r31k        quick  protocol        transfer           redirect to a URL that cannot be followed
31   r31l        quick  protocol        transfer           redirect to a URL that cannot be followed
32   r32g        quick  protocol        transfer           redirect to a URL that cannot be followed: root://h{100}
35   r35e        quick  protocol        transfer           redirect in answer to a request on an open file
75   r75b        quick  resolve         resolve            h\\xf6st%n%s%p\.invalid: 
36   r36c        quick  protocol        transfer           kXR_waitresp is too short
37   r37d        quick  protocol        transfer           wait of less than 0 s
37   r37e        quick  timeout         wait               asked for 1000000 s, "come back later"
37   r37f        quick  protocol        login              wait of less than 0 s
37   r37g        quick  good            -                  ^$  one["first_open"].waits[0]["asked_s"] == -5
37   r37h        quick  good            -                  ^$  one["first_open"].waits[0]["asked_s"] == 2147483647
38   r38c        slow   stalled         wait               no progress: .* keeps ordering waits \(\d+ of them
38   r38d        slow   stalled         wait               no progress: .* keeps ordering waits \(\d+ of them, 0 s asked in all\).*at once
40   r40b        slow   timeout|protocol  defer            deferred its answer|again  len(one["first_open"].waits) <= 64
46   r46c        slow   timeout         login              no answer from  messages(one) > 100
46   r46d        quick  good            -                  ^$  messages(one) == 100
55   r55f        quick  auth            auth|login         authentication.*\.\./e.*\\x1b
61   r61c        quick  good            -                  ^$  one["first_open"].raw.get("size_bytes", -1) == -1
62   r62f        quick  good|protocol   -|transfer         ^$|stat  one["first_open"].raw.get("size_bytes", -1) == -1
62   r62g        quick  good|protocol   -|transfer         ^$|stat  one["first_open"].raw.get("size_bytes", -1) == -1
62   r62h        quick  good|protocol   -|transfer         ^$|stat  one["first_open"].raw.get("size_bytes", -1) == -1
68   r68c        quick  closed          handshake          closed the connection
69   r69d        slow   timeout         login              no answer from .*: the answer to kXR_login
69   r69e        slow   timeout         request            no answer from
74   r74d        quick  good|closed     -|request          ^$|closed the connection  one.error or way(one["second_open"]) == "r74d retried, r74d answered"
T

# --- the list is whole ------------------------------------------------------------------------------------------------

awk '$2 == "-" { row = $1; $1 = $2 = $3 = ""; print row, $0 }' "$work/all-tables" | sort | while read -r row why; do
    printf '%s %s\n' "$row" "$why"
done >"$work/left-out"
while read -r row why; do
    skip "row $row" "$why"
done <"$work/left-out"
missing=$(awk '{ seen[$1 + 0] = 1 } END { for (i = 1; i <= 75; i++) if (!(i in seen)) printf "%d ", i }' "$work/all-tables")
check "each of the 75 rows is tried, or it is said why not ($missing)" [ -z "$missing" ]

finish
