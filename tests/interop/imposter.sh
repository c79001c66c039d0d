#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# imposter.sh - is the imposter what it claims to be?   XRDOPEN=/path/to/xrdopen sh tests/interop/imposter.sh  (prints TAP)
#
# Two independent witnesses: XRootD's own xrdfs and xrdcp, where they are installed, and raw bytes over sockets, written and
# checked by Python without any of this project's code.
set -u
: "${XRDOPEN:=xrdopen}"
XRDOPEN=$(command -v "$XRDOPEN") || { echo '1..0 # SKIP no xrdopen: set XRDOPEN'; exit 0; }
command -v python3 >/dev/null || { echo '1..0 # SKIP no python3 here: apt-get install python3'; exit 0; }
export XRDOPEN
IMPOSTER_TESTS=$(cd "$(dirname "$0")/.." && pwd)
export IMPOSTER_TESTS
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export IMPOSTER_WORK="$work"
unset http_proxy https_proxy XRD_LOGLEVEL
cat >"$work/test.py" <<'PY'
import glob, os, re, select, shutil, signal, socket, statistics, struct, subprocess, sys, time

XRDOPEN, WORK, TESTS = os.environ['XRDOPEN'], os.environ['IMPOSTER_WORK'], os.environ['IMPOSTER_TESTS']
count = failed = 0

def ok(what, good, note=''):
    global count, failed
    count += 1
    failed += not good
    print('%sok %d - %s' % ('' if good else 'not ', count, what), flush=True)
    if not good and note != '':
        print('\n'.join('# ' + line for line in str(note).split('\n')), flush=True)

def skip(what, why):
    global count
    count += 1
    print('ok %d - %s # SKIP %s' % (count, what, why), flush=True)

# --- an imposter -----------------------------------------------------------------------------------------------------
class Imposter:
    def __init__(self, script, *options):
        self.script = os.path.join(WORK, 'script.imp')
        with open(self.script, 'w') as f:
            f.write(script)
        self.talk = open(os.path.join(WORK, 'talk'), 'w+')
        ports = os.path.join(WORK, 'ports')
        if os.path.exists(ports):
            os.unlink(ports)
        self.process = subprocess.Popen([XRDOPEN, 'imposter', self.script, '--port-file', ports, '--exit-with-parent',
                                         *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.talk, text=True)
        end = time.monotonic() + 20
        while not os.path.exists(ports):
            if self.process.poll() is not None or time.monotonic() > end:
                raise RuntimeError('no imposter: ' + self.said())
            time.sleep(0.005)
        self.lines = [line.split() for line in open(ports)]
    def __enter__(self):
        return self
    def __exit__(self, *_):
        self.stop()
    def said(self):
        self.talk.seek(0)
        return self.talk.read()
    def stop(self):
        if self.talk.closed:
            return ''
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        self.code = self.process.wait(20)
        self.process.stdout.close()
        self.process.stdin.close()
        text = self.said()
        self.talk.close()
        if 'Sanitizer' in text or 'runtime error' in text:
            ok('no sanitizer complaint', False, text)
        return text
    def at(self, name, address=0):
        hosts = [line[1] for line in self.lines if line[0] == name]
        host, port = hosts[address].rsplit(':', 1)
        return host.strip('[]'), int(port)
    def url(self, name):
        return 'root://%s:%d/' % self.at(name)

# --- a client of raw bytes -------------------------------------------------------------------------------------------
HELLO = struct.pack('>5i', 0, 0, 0, 4, 2012)
AUTH, CLOSE, DIRLIST, PROTOCOL, LOGIN, OPEN, PING, READ, STAT, WRITE, READV, LOCATE, PGREAD = (
    3000, 3003, 3004, 3006, 3007, 3010, 3011, 3013, 3017, 3019, 3025, 3027, 3030)

def request(code, body=b'', payload=b'', sid=5):
    return struct.pack('>HH', sid, code) + body.ljust(16, b'\0') + struct.pack('>i', len(payload)) + payload

SAY_PROTOCOL = request(PROTOCOL, struct.pack('>iBB', 0x511, 0, 3), sid=1)
SAY_LOGIN = request(LOGIN, struct.pack('>i8sBBBB', 1, b'me', 0, 9, 0x85, 0), sid=2)

def say_open(path, sid=5, options=0x10):
    return request(OPEN, struct.pack('>HH', 0, options), path.encode(), sid)

def say_read(n, offset=0, sid=5, code=READ, handle=bytes(4)):
    return request(code, handle + struct.pack('>qi', offset, n), sid=sid)

class Client:
    def __init__(self, where, login=True, timeout=20):
        self.socket = socket.create_connection(where, timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if login:
            self.send(HELLO + SAY_PROTOCOL + SAY_LOGIN)
            self.hello, self.protocol, self.login = self.take(16), self.answer(), self.answer()
    def __enter__(self):
        return self
    def __exit__(self, *_):
        self.socket.close()
    def send(self, data):
        self.socket.sendall(data)
    def take(self, n):
        data = b''
        while len(data) < n:
            part = self.socket.recv(n - len(data))
            if not part:
                return data
            data += part
        return data
    def answer(self):
        """(stream id, status, body), or what came when it was less than a header"""
        header = self.take(8)
        if len(header) < 8:
            return header
        sid, status, length = struct.unpack('>HHi', header)
        return sid, status, self.take(length) if length > 0 else b''
    def ask(self, data):
        self.send(data)
        return self.answer()
    def quiet(self, seconds):
        return not select.select([self.socket], [], [], seconds)[0]
    def swallowed(self):
        """more than any buffer holds goes out, and nothing comes back"""
        try:
            for _ in range(64):
                self.send(bytes(1 << 20))
        except OSError:
            return False
        return self.socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) == 0
    def ended(self):
        """'fin', 'reset', or what came instead"""
        try:
            data = self.socket.recv(65536)
        except ConnectionResetError:
            return 'reset'
        return 'fin' if data == b'' else data

def pattern(offset, n):
    first = offset // 16
    text = b''.join(b'%015x\n' % (16 * i) for i in range(first, (offset + n + 15) // 16 + 1))
    return text[offset - 16 * first:][:n]

def timed(function):
    begin = time.monotonic()
    result = function()
    return result, time.monotonic() - begin

def error(code, text):
    return struct.pack('>i', code) + text.encode() + b'\0'

# --- XRootD's own clients --------------------------------------------------------------------------------------------
def official():
    if not shutil.which('xrdfs') or not shutil.which('xrdcp'):
        skip("XRootD's own clients", 'no xrdfs and xrdcp here: apt-get install xrootd-client')
        return
    def run(*words):
        done = subprocess.run(words, capture_output=True, timeout=60)
        return done.returncode, done.stdout, done.stderr.decode(errors='replace')
    with Imposter('''
file /data/file size 1M
file /data/large size 5000001
server M manager
    on open cgi "*tried=127.0.0.1*triedrc=enoent*": error NotFound "nowhere else"
    on open path /data/missing: redirect D
    on open first 1 per path: wait 1 "looking"
    on open: redirect D
    on stat: redirect D opaque "from=M"
server D
    file /data/hello text "hello\\n"
    dir /data/sub
    deny /data/secret
    on open path /data/slow: delay 5ms, error FSError "slow and broken"
server Q manager
    on open: waitresp 5 "queued", delay 50ms, attn redirect D
server W relay D delay 30ms
''') as imposter:
        where = '%s:%d' % imposter.at('D')
        code, out, talk = run('xrdfs', where, 'stat', '/data/hello')
        ok('xrdfs stat: size and flags', code == 0 and b'Size:   6' in out and b'IsReadable' in out, out + talk.encode())
        code, out, talk = run('xrdfs', where, 'ls', '-l', '/data')
        names = sorted(line.split()[-1] for line in out.decode().splitlines())
        ok('xrdfs ls -l lists the tree', code == 0 and names == ['/data/file', '/data/hello', '/data/large', '/data/secret', '/data/sub'],
           out + talk.encode())
        code, out, talk = run('xrdfs', where, 'cat', '/data/hello')
        ok('xrdfs cat: literal text', (code, out) == (0, b'hello\n'), out + talk.encode())
        code, out, talk = run('xrdfs', where, 'locate', '/data/file')
        ok('xrdfs locate: the server itself', code == 0 and where.encode() in out.replace(b'[::127.0.0.1]', b'127.0.0.1'), out)
        copy = os.path.join(WORK, 'copy')
        (code, out, talk), seconds = timed(lambda: run('xrdcp', '-f', '-s', imposter.url('M') + '/data/large', copy))
        got = open(copy, 'rb').read() if code == 0 else b''
        ok('xrdcp through wait and redirect: 5000001 bytes, every one right', got == pattern(0, 5000001), talk)
        ok('xrdcp waited as it was told', 0.9 < seconds < 20, seconds)
        code, out, talk = run('xrdcp', '-f', '-s', imposter.url('Q') + '/data/file', copy)
        ok('xrdcp through a deferred redirect', code == 0 and open(copy, 'rb').read() == pattern(0, 1 << 20), talk)
        code, out, talk = run('xrdcp', '-f', '-s', imposter.url('M') + '/data/missing', copy)
        ok('xrdcp of a missing file comes back with tried=, and takes 3011 for an answer', code != 0 and '[3011]' in talk and 'nowhere else' in talk, talk)
        code, out, talk = run('xrdfs', where, 'cat', '/data/secret')
        ok('xrdfs cat of a denied file: 3010', code != 0 and '[3010]' in talk, talk)
        code, out, talk = run('xrdfs', where, 'cat', '/data/slow')
        ok('xrdfs shows the error that a rule gave', code != 0 and '[3005] slow and broken' in talk, talk)
        code, out, talk = run('xrdcp', '-f', '-s', imposter.url('W') + '/data/large', copy)
        ok('xrdcp through the relay', code == 0 and open(copy, 'rb').read() == pattern(0, 5000001), talk)

# --- normal answers --------------------------------------------------------------------------------------------------
def normal():
    with Imposter('file /data/file size 1M\nserver M manager\nserver S\n    dir /data/sub\n    deny /data/secret*\n') as imposter:
        with Client(imposter.at('S')) as c:
            ok('handshake answer', c.hello == struct.pack('>HHiii', 0, 0, 8, 0x511, 1), c.hello)
            ok('protocol answer', c.protocol == (1, 0, struct.pack('>II', 0x511, 0x00300001)), c.protocol)
            ok('login answer: 16 bytes of session', c.login[:2] == (2, 0) and len(c.login[2]) == 16, c.login)
            ok('ping', c.ask(request(PING)) == (5, 0, b''))
            ok('open: the first handle is 0', c.ask(say_open('/data/file')) == (5, 0, bytes(4)))
            ok('second open: handle 1, little end first', c.ask(say_open('/data/file')) == (5, 0, b'\1\0\0\0'))
            ok('read: bytes by offset', c.ask(say_read(100, 1000)) == (5, 0, pattern(1000, 100)))
            ok('read across the end is short', c.ask(say_read(100, (1 << 20) - 30)) == (5, 0, pattern((1 << 20) - 30, 30)))
            ok('read behind the end: nothing', c.ask(say_read(1, 1 << 40)) == (5, 0, b''))
            vector = struct.pack('>4siq4siq', bytes(4), 5, 0, b'\1\0\0\0', 7, 4096)
            expected = (vector[:16] + pattern(0, 5) + vector[16:] + pattern(4096, 7))
            ok('vector read', c.ask(request(READV, payload=vector)) == (5, 0, expected))
            ok('vector read behind the end: error', c.ask(request(READV, payload=struct.pack('>4siq', bytes(4), 5, 1 << 20)))[1] == 4003)
            ok('close', c.ask(request(CLOSE, bytes(4))) == (5, 0, b''))
            ok('the handle is gone: 3004', struct.unpack('>i', c.ask(say_read(1))[2][:4])[0] == 3004)
            ok('the handle is given out again', c.ask(say_open('/data/file'))[2] == bytes(4))
            stat = c.ask(request(STAT, payload=b'/data/file'))[2]
            ok('stat text', stat.split()[1:3] == [b'1048576', b'16'] and stat.endswith(b'\0'), stat)
            retstat = c.ask(say_open('/data/file', options=0x410))[2]
            ok('open with retstat', retstat[4:12] == bytes(8) and retstat[12:] == stat, retstat)
            code = lambda answer: (answer[1], struct.unpack('>i', answer[2][:4])[0])
            ok('missing: 3011', code(c.ask(say_open('/data/none'))) == (4003, 3011))
            ok('directory: 3016', code(c.ask(say_open('/data/sub'))) == (4003, 3016))
            ok('denied: 3010', code(c.ask(say_open('/data/secret-plan'))) == (4003, 3010))
            ok('statx: a flag for each path', c.ask(request(3022, payload=b'/data/file\n/data/sub')) == (5, 0, b'\0\2'))
            ok('statx of nothing: 3001', code(c.ask(request(3022))) == (4003, 3001))
            ok('unknown request: 3006', code(c.ask(request(3999))) == (4003, 3006))
            ok('write is taken and forgotten', c.ask(request(WRITE, bytes(4), b'x' * 300000)) == (5, 0, b''))
            ok('negative payload length: an error and the end',
               code((c.send(struct.pack('>HH16xi', 5, PING, -1)), c.answer())[1]) == (4003, 3000) and c.ended() in ('fin', 'reset'))
        with Client(imposter.at('M')) as c:
            ok('a manager says so', c.hello[12:] == bytes(4) and c.protocol[2][4:] == struct.pack('>I', 0x00300002))
        with Client(imposter.at('S'), login=False) as c:
            c.send(HELLO + say_open('/data/file'))
            c.take(16)
            ok('open before login: 3006 and the end', code(c.answer()) == (4003, 3006) and c.ended() == 'fin')
        with Client(imposter.at('S'), login=False) as c:
            c.send(b'GET / HTTP/1.1\r\nHost: x\r\n\r\n')
            ok('no handshake: reset', c.ended() == 'reset')
        flight = HELLO + SAY_PROTOCOL + SAY_LOGIN + say_open('/data/file', 3) + say_read(10, 5, 4) + request(CLOSE, bytes(4), sid=6)
        def answers(c):
            return c.take(16)[8:], c.answer()[:2], c.answer()[:2], c.answer(), c.answer(), c.answer(), c.ended()
        with Client(imposter.at('S'), login=False) as c:
            c.send(flight)
            c.socket.shutdown(socket.SHUT_WR)
            whole = answers(c)
        ok('handshake to close in one segment, then our FIN: all answered', whole[3:] ==
           ((3, 0, bytes(4)), (4, 0, pattern(5, 10)), (6, 0, b''), 'fin'), whole)
        with Client(imposter.at('S'), login=False) as c:
            for byte in flight:
                c.send(bytes([byte]))
            c.socket.shutdown(socket.SHUT_WR)
            ok('the same byte by byte', answers(c) == whole)

# --- what rules send -------------------------------------------------------------------------------------------------
def messages():
    with Imposter('''
file /f size 100
server B
    listen 127.0.0.3
    listen 127.0.0.2
server S
    on open path /wait: wait 7 "why"
    on open path /negative: wait -1
    on open path /waitresp: waitresp 9 "queue", delay 30ms, attn error NotFound "gone"
    on open path /attn-ok: attn ok hex "01020304"
    on open path /attn-wait: attn wait 3 "again"
    on open path /host: redirect B
    on open path /second: redirect B address 2 opaque "a=b&c=d" token "t=1"
    on open path /url: redirect B url flags 0x2000 opaque "k=v"
    on open path /scheme: redirect B scheme xroots path "//x"
    on open path /text: redirect text "anything?goes" port 70000
    on open path /self: redirect self
    on open path /error: error 4242 "odd"
    on open path /named: error NotAuthorized
    on open path /stream: answer stream by 3
    on open path /stream2: answer stream 77
    on open path /status: answer status 4999
    on open path /dlen: ok text "abc" dlen 0x7fffffff
    on open path /neg: ok text "abc" dlen -1
    on open path /by: ok text "abc" dlen by -2
    on open path /raw: raw hex "de ad" text "beef" sid int 7
    on open path /patch: ok text "abcdef" patch 8 "585a" flip 13
    on open path /asyncms: asyncms "hear", asyncms "me", answer
    on open path /twice: answer, answer
    on open path /three: ok text "x", repeat 3
    on open path /version: protocol version 0x400 flags 0xc0000001 text "B"
    on open path /token: login token "&P=unix"
    on open path /authmore: authmore zero 3
    on open path /long: ok repeat 300k "abcdefghij"
    on open path /ignore: ignore
    on ping: ok text "pong"
''') as imposter, Client(imposter.at('S')) as c:
        b = imposter.at('B')
        port = struct.pack('>i', b[1])
        i4 = lambda n: struct.pack('>i', n)
        for path, status, body in [
                ('/wait', 4005, i4(7) + b'why'), ('/negative', 4005, i4(-1)),
                ('/host', 4004, port + b'127.0.0.3'), ('/second', 4004, port + b'127.0.0.2?a=b&c=d?t=1'),
                ('/url', 4004, i4(~0x2000) + b'root://127.0.0.3:%d//url?k=v' % b[1]),
                ('/scheme', 4004, i4(-1) + b'xroots://127.0.0.3:%d///x' % b[1]),
                ('/text', 4004, i4(70000) + b'anything?goes'),
                ('/self', 4004, i4(imposter.at('S')[1]) + b'127.0.0.1'),
                ('/error', 4003, error(4242, 'odd')), ('/named', 4003, error(3010, 'NotAuthorized')),
                ('/version', 0, struct.pack('>iI', 0x400, 0xc0000001) + b'B'), ('/authmore', 4002, bytes(3)),
                ('/long', 0, b'abcdefghij' * 307200), ('/patch', 0, b'XZcde' + bytes([ord('f') ^ 255]))]:
            answer = c.ask(say_open(path))
            ok('open %s' % path, answer == (5, status, body), answer)
        token = c.ask(say_open('/token'))
        ok('login with a token', token[2][:16] == c.login[2] and token[2][16:] == b'&P=unix', token)
        queued, seconds = timed(lambda: (c.ask(say_open('/waitresp')), c.ask(request(PING)), c.answer()))
        ok('waitresp, a ping that overtakes, then attn with the error', queued == (
            (5, 4006, i4(9) + b'queue'), (5, 0, b'pong'),
            (0, 4001, struct.pack('>iiHHi', 5008, 0, 5, 4003, 9) + error(3011, 'gone'))), queued)
        ok('the attn came after its delay', 0.03 <= seconds < 1, seconds)
        ok('attn with ok', c.ask(say_open('/attn-ok')) == (0, 4001, struct.pack('>iiHHi', 5008, 0, 5, 0, 4) + b'\1\2\3\4'))
        ok('attn with wait', c.ask(say_open('/attn-wait'))[2][8:] == struct.pack('>HHii', 5, 4005, 9, 3) + b'again')
        missing = error(3011, 'No such file or directory')
        ok('stream id moved', c.ask(say_open('/stream')) == (8, 4003, missing))
        ok('stream id set', c.ask(say_open('/stream2')) == (77, 4003, missing))
        ok('unknown status', c.ask(say_open('/status')) == (5, 4999, missing))
        for path, length in ('/dlen', 0x7fffffff), ('/neg', -1), ('/by', 1):
            c.send(say_open(path))
            got = c.take(11)
            ok('length of %s' % path, got == struct.pack('>HHi', 5, 0, length) + b'abc', got)
        c.send(say_open('/raw'))
        ok('raw bytes', c.take(12) == b'\xde\xadbeef\0\5\0\0\0\7')
        ok('messages before the answer', [c.ask(say_open('/asyncms')), c.answer(), c.answer()] ==
           [(0, 4001, i4(5002) + b'hear'), (0, 4001, i4(5002) + b'me'), (5, 4003, missing)])
        ok('two answers', [c.ask(say_open('/twice')), c.answer()] == [(5, 4003, missing)] * 2)
        ok('three by repeat', [c.ask(say_open('/three')), c.answer(), c.answer()] == [(5, 0, b'x')] * 3)
        c.send(say_open('/ignore'))
        ok('an ignored request holds nothing up', c.ask(request(PING, sid=9)) == (9, 0, b'pong') and c.quiet(0.05))

def parts():
    with Imposter('''
file /f size 1000
server S
    on read count 1: piece 300, piece 0, piece half, answer
    on read count 2: pieces 400 every 20ms
    on read count 3: piece all, ok
    on read count 4: piece 600, piece 600, answer
    on read count 5: answer first 11, delay 40ms, rest
    on read count 6: answer first half, delay 20ms, rest
    on read count 7: answer dribble 250 every 10ms
    on read count 8: piece 10, repeat 3, answer
    on read count 9: piece 300, answer, answer
    on read: answer first half, silence
    on pgread: pieces 5000
server E
    on read: piece 1k, repeat
server Z
    on read: piece 0, repeat
''') as imposter:
        with Client(imposter.at('S')) as c:
            c.ask(say_open('/f'))
            whole, read = pattern(0, 1000), say_read(1000)
            ok('pieces by hand', [c.ask(read), c.answer(), c.answer(), c.answer()] ==
               [(5, 4000, whole[:300]), (5, 4000, b''), (5, 4000, whole[300:800]), (5, 0, whole[800:])])
            got, seconds = timed(lambda: [c.ask(read), c.answer(), c.answer()])
            ok('pieces in time', got == [(5, 4000, whole[:400]), (5, 4000, whole[400:800]), (5, 0, whole[800:])] and 0.04 <= seconds < 1,
               seconds)
            ok('all as oksofar, then an empty ok', [c.ask(read), c.answer()] == [(5, 4000, whole), (5, 0, b'')])
            ok('pieces beyond the end begin again', [c.ask(read), c.answer(), c.answer()] ==
               [(5, 4000, whole[:600]), (5, 4000, whole[600:] + whole[:200]), (5, 0, b'')])
            c.send(read)
            ok('the first 11 bytes', c.take(11) == struct.pack('>HHi', 5, 0, 1000) + whole[:3] and c.quiet(0.015))
            ok('and the rest', c.take(997) == whole[3:])
            got, seconds = timed(lambda: c.ask(read))
            ok('half, then the rest', got == (5, 0, whole) and 0.02 <= seconds < 1, seconds)
            got, seconds = timed(lambda: c.ask(read))
            ok('1008 bytes in dribbles of 250', got == (5, 0, whole) and 0.04 <= seconds < 1, seconds)
            ok('repeat goes on behind itself', [c.ask(read), c.answer(), c.answer(), c.answer()] ==
               [(5, 4000, whole[:10]), (5, 4000, whole[10:20]), (5, 4000, whole[20:30]), (5, 0, whole[30:])])
            ok('a second answer is whole again', [c.ask(read), c.answer(), c.answer()] ==
               [(5, 4000, whole[:300]), (5, 0, whole[300:]), (5, 0, whole)])
            c.send(read)
            ok('half is half', c.take(504) == struct.pack('>HHi', 5, 0, 1000) + whole[:496] and c.quiet(0.05))
        with Client(imposter.at('E')) as c:
            c.ask(say_open('/f'))
            c.send(say_read(1000))
            ok('oksofar without end', all(c.answer()[:2] == (5, 4000) for _ in range(5000)))
        with Client(imposter.at('Z')) as c:
            c.ask(say_open('/f'))
            c.send(say_read(1000))
            ok('empty oksofar without end', all(c.answer() == (5, 4000, b'') for _ in range(5000)))

def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82f63b78 if crc & 1 else 0)
    return crc ^ 0xffffffff

def pages():
    with Imposter('''
file /f size 10000
server S
    on pgread count 2: pieces 5000
    on pgread count 3: answer flip 32
    on pgread count 4: answer patch 14 "10" crc
    on pgread count 5: answer flip 8
''') as imposter, Client(imposter.at('S')) as c:
        c.ask(say_open('/f'))
        def page_read(n, offset):
            """[(header checksum good, request, type, offset, pages good, data)] up to the final one"""
            c.send(say_read(n, offset, code=PGREAD))
            parts = []
            while True:
                head = c.take(32)
                crc, sid, code, kind, length, at = struct.unpack('>IHBB4xiq', head[8:])
                data, plain, good = c.take(length), b'', struct.unpack('>HHi', head[:8]) == (5, 4007, 24)
                while data:
                    size = min(4096 - (at + len(plain)) % 4096, len(data) - 4)
                    good = good and crc32c(data[4:4 + size]) == struct.unpack('>I', data[:4])[0]
                    plain, data = plain + data[4:4 + size], data[4 + size:]
                parts.append((crc32c(head[12:]) == crc, code, kind, at, good, plain))
                if kind != 1:
                    return parts
        got = page_read(9000, 100)
        ok('pgread: checksums of header and pages', got == [(True, 30, 0, 100, True, pattern(100, 9000))], got)
        got = page_read(9000, 100)
        ok('pgread in pieces', got == [(True, 30, 1, 100, True, pattern(100, 5000)), (True, 30, 0, 5100, True, pattern(5100, 4000))], got)
        ok('a page whose checksum is wrong', [part[:5] for part in page_read(10, 0)] == [(True, 30, 0, 0, False)])
        ok('a header with a wrong request, its checksum right', [part[:3] for part in page_read(10, 0)] == [(True, 16, 0)])
        ok('a header whose checksum is wrong', [part[:3] for part in page_read(10, 0)] == [(False, 30, 0)])

# --- ends of connections ---------------------------------------------------------------------------------------------
def endings():
    with Imposter('''
file /f size 8M
server S
    on open path /close: answer first 4, close
    on open path /reset: reset
    on open path /late: answer first 20, delay 20ms, reset
    on open path /shutdown: answer, shutdown
    on open path /silence: silence
    on open path /deaf: answer, deaf
    on open path /busy: delay 80ms, answer, close
    on read: answer, close
server closes
    on accept: close
server resets
    on accept: reset
server greets
    on accept: delay 10ms, raw text "hello", close
server silent silent
''') as imposter:
        for path, before, end in ('/close', 4, 'fin'), ('/reset', 0, 'reset'), ('/late', 20, 'reset'):
            with Client(imposter.at('S')) as c:
                c.send(say_open(path) + request(PING))
                got = c.take(before)
                ok('%s after %d bytes' % (end, before), len(got) == before and c.ended() == end)
        with Client(imposter.at('S')) as c:
            ok('our side still open behind its FIN', c.ask(say_open('/shutdown'))[1] == 4003 and c.ended() == 'fin')
            ok('and it is still read', c.swallowed())
        with Client(imposter.at('S')) as c:
            c.send(say_open('/silence') + request(PING))
            ok('silence', c.quiet(0.1))
            ok('silence still reads', c.swallowed())
        with Client(imposter.at('S')) as c:
            c.ask(say_open('/deaf'))
            c.socket.settimeout(0.3)
            sent = 0
            try:
                while sent < 1 << 28:
                    sent += c.socket.send(bytes(65536))
                ok('deaf: the send buffer fills', False, sent)
            except TimeoutError:
                ok('deaf: the send buffer fills', True)
        with Client(imposter.at('S')) as c:
            c.ask(say_open('/f'))
            got = c.ask(say_read(8 << 20))
            ok('8 MiB before the close all arrive', got[1] == 0 and got[2] == pattern(0, 8 << 20) and c.ended() == 'fin')
        with Client(imposter.at('S')) as c:
            c.send(say_open('/busy') + request(PING) * 3000)
            time.sleep(0.03)
            c.send(request(PING) * 2000)
            ok('a FIN, though much lies unread', c.answer()[1] == 4003 and c.ended() == 'fin')
        with Client(imposter.at('closes'), login=False) as c:
            ok('close at accept', c.ended() == 'fin')
        try:
            with Client(imposter.at('resets'), login=False) as c:
                end = c.ended()
        except ConnectionResetError:            # so early that connect() itself has it
            end = 'reset'
        ok('reset at accept', end == 'reset', end)
        with Client(imposter.at('greets'), login=False) as c:
            ok('a greeting at accept', c.take(99) == b'hello')
        with Client(imposter.at('silent'), login=False) as c:
            c.send(HELLO)
            ok('accepts and stays silent', c.quiet(0.1))

def addresses():
    def outcome(where, seconds=0.3):
        s = socket.socket(socket.AF_INET6 if ':' in where[0] else socket.AF_INET)
        s.settimeout(seconds)
        try:
            s.connect(where)
            return 'connected'
        except ConnectionRefusedError:
            return 'refused'
        except TimeoutError:
            return 'hangs'
        finally:
            s.close()
    with Imposter('server X refuse\nserver Y swallow\nserver N\n listen 127.0.0.2 swallow\n listen 127.0.0.3 refuse\n'
                  ' listen 127.0.0.1\n file /f\n') as imposter:
        ok('a refusing address refuses, each time', [outcome(imposter.at('X')) for _ in range(3)] == ['refused'] * 3)
        ok('a swallowing address hangs, each time', [outcome(imposter.at('Y')) for _ in range(3)] == ['hangs'] * 3)
        ok('three addresses on one port', len({imposter.at('N', i)[1] for i in range(3)}) == 1)
        ok('each of its kind', [outcome(imposter.at('N', i)) for i in range(3)] == ['hangs', 'refused', 'connected'])
        try:
            s = socket.socket()
            s.bind(imposter.at('X'))
            ok('nobody else gets the refusing port', False)
        except OSError:
            ok('nobody else gets the refusing port', True)
    if os.path.exists('/proc/net/if_inet6') and ' lo\n' in open('/proc/net/if_inet6').read():
        with Imposter('server S\n listen [::1]\n listen 127.0.0.1\nserver Y\n listen ::1 swallow\nserver R\n on open: redirect S\n') as imposter:
            ok('IPv6, too', outcome(imposter.at('S')) == 'connected' and outcome(imposter.at('Y')) == 'hangs')
            ok('and its printed form', [line[1] for line in imposter.lines][0].startswith('[::1]:'))
            with Client(imposter.at('R')) as c:
                ok('and redirects to it', c.ask(say_open('/f'))[2][4:] == b'[::1]')
    else:
        skip('IPv6', 'no ::1 on this machine')

# --- which rule ------------------------------------------------------------------------------------------------------
def conditions():
    def texts(c, n, path='/f', sid=5):
        return [c.ask(say_open(path, sid))[2].decode() for _ in range(n)]
    with Imposter('''
on ping every 2 per script: ok text "even"
on ping: ok text "odd"
server A
    on open count 3: ok text "third"
    on open first 2: ok text "first two"
    on open count 6-7: ok text "six, seven"
    on open every 4: ok text "fourth"
    on open count 10-: ok text "ten on"
    on open: ok text "other"
server B
    on open count 2 per connection: ok text "2nd of connection"
    on open count 2 per path: ok text "2nd of path"
    on open: ok text "other"
server C
    on open path "/a*.root" cgi "*tried=*": ok text "both"
    on open path "/a*.root": ok text "path"
    on open writing: ok text "writing"
    on 3011 stat: ok text "numeric"
    on any: ok text "any"
server D
    on open every 3 offset 1: ok text "1"
    on open every 3 offset 2: ok text "2"
    on open: ok text "0"
server T
    on open until 300ms: ok text "early"
    on open after 100ms of connection: ok text "old"
    on open: ok text "new"
''') as imposter:
        with Client(imposter.at('T')) as c:
            ok('until', texts(c, 1) == ['early'])
        with Client(imposter.at('A')) as c:
            got = texts(c, 11)
            ok('counted per server, first rule wins', got == ['first two'] * 2 + ['third', 'fourth', 'other', 'six, seven',
               'six, seven', 'fourth', 'other', 'ten on', 'ten on'], got)
        with Client(imposter.at('B')) as c, Client(imposter.at('B')) as d:
            got = [texts(c, 1, '/p')[0], texts(d, 1, '/q')[0], texts(c, 1, '/q')[0], texts(d, 1, '/r')[0], texts(c, 1, '/r')[0],
                   texts(c, 1, '/s')[0]]
            ok('counted per connection and per path', got == ['other', 'other', '2nd of connection', '2nd of connection', '2nd of path',
               'other'], got)
        with Client(imposter.at('A')) as c, Client(imposter.at('B')) as d:
            got = [x.ask(request(PING))[2] for x in (c, d, d, c)]
            ok('counted over the whole script', got == [b'odd', b'even', b'odd', b'even'], got)
        with Client(imposter.at('D')) as c:
            ok('every with an offset', texts(c, 6) == ['1', '2', '0'] * 2)
        with Client(imposter.at('C'), login=False) as c:
            c.send(HELLO + SAY_LOGIN)
            c.take(16)
            ok('any takes a login, too', c.answer() == (2, 0, b'any'))
            got = texts(c, 1, '/ab.root') + texts(c, 1, '/ab.root?x=1&tried=host') + texts(c, 1, '/b.root')
            ok('path and cgi patterns', got == ['path', 'both', 'any'], got)
            ok('writing', c.ask(say_open('/w', options=0x28))[2] == b'writing' and c.ask(request(PING))[2] == b'numeric')
        time.sleep(0.3)
        with Client(imposter.at('T')) as c:
            got = texts(c, 1)
            time.sleep(0.15)
            ok('after, by the connection\'s age', got + texts(c, 1) == ['new', 'old'])

# --- times -----------------------------------------------------------------------------------------------------------
def times():
    with Imposter('''
file /f size 1M
server S
    on ping: delay 2ms
    on login: delay 5ms
    on readv: delay 10ms per chunk
server Q
    on ping: delay 20ms serial
server O
    on ping count 1: detach, delay 50ms
''', '--trace') as imposter:
        with Client(imposter.at('S')) as c:
            trips = [timed(lambda: c.ask(request(PING)))[1] for _ in range(200)]
            median = statistics.median(trips) * 1e6
            ok('200 times 2 ms: median at the client %.0f us' % median, 2000 <= median < 2400, median)
            flight, seconds = timed(lambda: (c.send(request(PING, sid=1) + request(PING, sid=2)), c.answer(), c.answer()))
            ok('two in one flight: one after the other', 0.004 <= seconds < 0.5, seconds)
            c.ask(say_open('/f'))
            got, seconds = timed(lambda: c.ask(request(READV, payload=struct.pack('>4siq', bytes(4), 1, 0) * 4)))
            ok('per chunk', got[1] == 0 and 0.04 <= seconds < 0.5, seconds)
        clients = [Client(imposter.at('Q')) for _ in range(5)]
        begin = time.monotonic()
        for c in clients:
            c.send(request(PING))
        ends = [(c.answer(), time.monotonic() - begin)[1] for c in clients]
        ok('serial: one at a time over all connections', all(end >= 0.02 * (i + 1) for i, end in enumerate(ends)) and ends[-1] < 0.5, ends)
        for c in clients:
            c.socket.close()
        with Client(imposter.at('O')) as c:
            c.send(request(PING, sid=1) + request(PING, sid=2))
            ok('detach: the second overtakes', [c.answer()[0], c.answer()[0]] == [2, 1])
        talk = imposter.stop()
        late = sorted(int(n) for n in re.findall(r'server=S .*event=ping .*late_ns=(\d+)', talk))
        ok('its own stamps: %d delays, median %.2f us late' % (len(late), late[len(late) // 2] / 1e3 if late else -1),
           len(late) >= 202 and late[len(late) // 2] < 20000, late[:10])
        lines = [line for line in talk.splitlines() if line.startswith('trace ')]
        stamps = [dict(word.split('=') for word in line.split()[1:]) for line in lines]
        ok('stamps rise', all(int(s['arrival_ns']) <= int(s['begin_ns']) <= int(s['sent_ns']) for s in stamps))
    with Imposter('server S\n on ping: delay 3ms\n', '--no-spin') as imposter, Client(imposter.at('S')) as c:
        trips = [timed(lambda: c.ask(request(PING)))[1] for _ in range(20)]
        ok('without spinning never early', min(trips) >= 0.003, min(trips))

def relay():
    with Imposter('file /f size 4M\nserver D\n on open path /bad: reset\nserver W relay D delay 20ms\nserver V relay D delay 5ms back 15ms\n'
                  'server X refuse\nserver U relay X delay 20ms\n') as imposter:
        with Client(imposter.at('W'), login=False) as c:
            hello, seconds = timed(lambda: (c.send(HELLO + SAY_PROTOCOL + SAY_LOGIN), c.take(16)))
            ok('a round trip costs both ways', 0.04 <= seconds < 0.5, seconds)
            c.answer(), c.answer()
            c.ask(say_open('/f'))
            got, seconds = timed(lambda: c.ask(say_read(4 << 20)))
            ok('4 MiB in order, with one round trip', got[2] == pattern(0, 4 << 20) and 0.04 <= seconds < 0.5, seconds)
            c.send(request(PING, sid=8))
            c.socket.shutdown(socket.SHUT_WR)
            ok('our FIN travels behind the request', c.answer()[0] == 8 and c.ended() == 'fin')
        with Client(imposter.at('V')) as c:
            trips = [timed(lambda: c.ask(request(PING)))[1] for _ in range(20)]
            ok('each way its own delay', 0.02 <= statistics.median(trips) < 0.03, statistics.median(trips))
            begin = time.monotonic()
            c.send(say_open('/bad'))
            ok('a reset travels, too', c.ended() == 'reset' and time.monotonic() - begin >= 0.02)
        with Client(imposter.at('U'), login=False) as c:
            ok('a server that is not there: reset', c.ended() == 'reset')

# --- the command -----------------------------------------------------------------------------------------------------
def command():
    def run(script, *options):
        path = os.path.join(WORK, 'bad.imp')
        with open(path, 'wb') as f:
            f.write(script if isinstance(script, bytes) else script.encode())
        done = subprocess.run([XRDOPEN, 'imposter', path, '--duration', '50ms', *options], capture_output=True, text=True, timeout=30)
        return done.returncode, done.stdout, done.stderr
    for script, where, words in [
            ('server A\n  on open: dealy 5s\n', '2:12', "expected a step"), ('server A\n  on open: delay 5x\n', '2:18', 'expected a duration'),
            ('', '1:1', "'server'"), ('server A\n  on opne: close\n', '2:6', 'expected an event'),
            ('server A\n  on open: redirect B\n', '2:21', "no server is called 'B'"), ('server A\nserver A\n', '2:8', 'no other server'),
            ('server A\n  file data\n', '2:8', "begins with '/'"), ('server A\n  on open: ok text "abc\n', '2:20', 'does not end'),
            ('server A\n  on open close\n', '2:16', 'expected a colon'), ('server A\n on open: close, delay 1s\n', '2:18', 'no step behind'),
            ('on open: wait $n\nserver A\n', '1:15', "'set' line"), (b'server A\n  on open: \xff\n', '2:12', 'neither printable'),
            ('server W relay nowhere delay 1s\n', '1:8', 'no other server is called'), ('server A\n on open: repeat\n', '2:17', 'sends or delays')]:
        code, out, talk = run(script)
        ok('a bad script: %s' % words, code == 2 and out == '' and ':%s: ' % where in talk and words in talk and 'xrdopen: imposter: ' in talk,
           'exit %d: %s' % (code, talk))
    code, out, talk = run('set d 1s\nserver A\n on open: delay $d\n', '--set', 'd=2ms')
    ok('--set', code == 0 and out.startswith('A 127.0.0.1:'), talk)
    code, out, talk = run('set d 1s\nserver A\n on open: delay $d\n', '--set', 'e=2ms')
    ok('--set of what the script has not: exit 2', code == 2 and "'e'" in talk, talk)
    code, out, talk = run('server A\n', '--set', 'nothing')
    ok('--set without a value: exit 2', code == 2, talk)
    code, out, talk = run('server A\n', '--check')
    ok('--check listens nowhere', (code, out) == (0, ''), talk)
    code, out, talk = run('server A\n', '--realtime')
    ok('--realtime, or why not', (code == 0 and out.startswith('A ')) or (code == 4 and 'refused by the system' in talk), talk)
    taken = socket.socket()
    taken.bind(('127.0.0.1', 0))
    taken.listen()
    code, out, talk = run('server A\n port %d\n' % taken.getsockname()[1])
    ok('a port that is taken: exit 4', code == 4 and 'cannot listen' in talk and ':1:' in talk, talk)
    code, out, talk = run('server A\n', '--port-file', WORK + '/none/ports')
    ok('a port file that cannot be written: exit 1', code == 1 and 'cannot write' in talk, talk)
    done = subprocess.run([XRDOPEN, 'imposter', WORK + '/none.imp'], capture_output=True, text=True, timeout=30)
    ok('a script that is not there: exit 2', done.returncode == 2 and 'cannot read' in done.stderr, done.stderr)
    imposter = Imposter('server A\n')
    shown = imposter.process.stdout.readline().split()
    ok('standard output says what the port file says', [shown] == imposter.lines and shown[2] == 'root://%s/' % shown[1], shown)
    imposter.stop()
    ok('SIGTERM: exit 130', imposter.code == 130, imposter.code)
    imposter = Imposter('server A\n')
    imposter.process.stdin.close()
    ok('it ends with its parent', imposter.process.wait(10) == 0)
    imposter.process.stdout.close()
    scripts = glob.glob(TESTS + '/cases/*.imp') + glob.glob(TESTS + '/torture/*.imp')
    talk = ''.join(subprocess.run([XRDOPEN, 'imposter', '--check', path], capture_output=True, text=True, timeout=30).stderr
                   for path in scripts)
    manual = open(TESTS + '/../man/xrdopen-imposter.5').read()
    examples = [text.replace('\\e', '\\') for text in re.findall(r'\.Bd -literal.*?\n(.*?)\.Ed', manual, re.S) if 'statement =' not in text]
    said = [(subprocess.run([XRDOPEN, 'imposter', '--check', '-'], input=text, capture_output=True, text=True, timeout=30).stderr, text)
            for text in examples]
    ok("the manual's %d examples are good scripts" % len(examples), len(examples) > 10 and all(s == '' for s, _ in said),
       '\n'.join(s + text for s, text in said if s))
    ok('all %d scripts of cases/ and torture/ are good' % len(scripts), len(scripts) > 20 and talk == '', talk)

def many():
    import resource
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = min(2000, hard - 100)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, wanted + 200), hard))
    with Imposter('file /f\nserver S\n on ping: delay 10ms\n on accept every 100: delay 1ms\n') as imposter:
        clients = [Client(imposter.at('S')) for _ in range(wanted)]
        size = int(re.search(r'VmRSS:\s+(\d+)', open('/proc/%d/status' % imposter.process.pid).read()).group(1)) \
            if os.path.exists('/proc/self/status') else 0
        for c in clients:
            c.send(request(PING))
        ok('%d connections at once, all answered' % wanted, all(c.answer() == (5, 0, b'') for c in clients))
        for c in clients:
            c.socket.close()
        with Client(imposter.at('S')) as c:
            ok('and afterwards another', c.ask(request(PING)) == (5, 0, b''))
        print('# %d kB resident with %d connections' % (size, wanted))

for test in official, normal, messages, parts, pages, endings, addresses, conditions, times, relay, command, many:
    try:
        test()
    except Exception as trouble:
        import traceback
        ok('%s runs to its end' % test.__name__, False, traceback.format_exc())
print('1..%d' % count)
sys.exit(failed > 0)
PY
python3 "$work/test.py"
