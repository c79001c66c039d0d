/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * auth_token.c - where a token is found, when it may be used, and that it does not stay in memory. */
#include "auth/token.h"
#include "auth_help.h"
#include "base/random.h"

#include <inttypes.h>

/* --- where a token is found --- */

static void assert_found(const char *expected)
{
    char reason[XRO_AUTH_REASON_SIZE] = "";
    struct xro_token token;

    if (xro_token_find(4096, &token, reason) != XRO_OK)
        fail_msg("%s", reason);
    assert_int_equal(token.length, strlen(expected));
    assert_memory_equal(token.text, expected, token.length);
    xro_token_free(&token);
    assert_null(token.memory);
}

static void assert_not_found(const char *words)
{
    char reason[XRO_AUTH_REASON_SIZE] = "";
    struct xro_token token;

    assert_int_equal(xro_token_find(4096, &token, reason), XRO_AUTH);
    assert_null(token.memory);
    assert_words(reason, words);
}

static bool has_own_token(void)
{
    char path[64];

    snprintf(path, sizeof path, "/tmp/bt_u%u", (unsigned)geteuid());
    return access(path, F_OK) == 0;
}

static void discovery_order(void **state)
{
    char name[64];

    (void)state;
    snprintf(name, sizeof name, "bt_u%u", (unsigned)geteuid());
    write_text(name, " run\n");
    setenv("BEARER_TOKEN", "one", 1);
    setenv("BEARER_TOKEN_FILE", write_text("two", "two\n"), 1);
    setenv("XDG_RUNTIME_DIR", folder, 1);
    assert_found("one");
    setenv("BEARER_TOKEN", " \n", 1);           /* nothing but white space: passed over */
    assert_found("two");
    unsetenv("BEARER_TOKEN");
    assert_found("two");
    write_text("two", "\n\n");
    assert_found("run");
    setenv("BEARER_TOKEN_FILE", in_folder("not there"), 1);
    assert_found("run");
    unlink(in_folder(name));
    if (!has_own_token())
        assert_not_found("no token in BEARER_TOKEN, BEARER_TOKEN_FILE, XDG_RUNTIME_DIR/bt_u");
}

static void token_files(void **state)
{
    static const mode_t modes[] = { 0604, 0640, 0620, 0601, 0644, 0666 };
    static char large[5000];

    (void)state;
    setenv("BEARER_TOKEN_FILE", write_text("token", SECRET "\n"), 1);
    assert_found(SECRET);
    for (size_t i = 0; i < LENGTH(modes); i++) {
        assert_int_equal(chmod(in_folder("token"), modes[i]), 0);
        assert_not_found("may be used by others");
    }
    assert_int_equal(chmod(in_folder("token"), 0400), 0);
    assert_found(SECRET);
    assert_int_equal(symlink(in_folder("token"), in_folder("link")), 0);
    setenv("BEARER_TOKEN_FILE", in_folder("link"), 1);
    assert_found(SECRET);
    setenv("BEARER_TOKEN_FILE", folder, 1);
    assert_not_found("is no regular file");
    assert_int_equal(mkfifo(in_folder("pipe"), 0600), 0);
    setenv("BEARER_TOKEN_FILE", in_folder("pipe"), 1);
    assert_not_found("is no regular file");
    memset(large, 'x', sizeof large);
    setenv("BEARER_TOKEN_FILE", write_file("large", large, sizeof large, 0600), 1);
    assert_not_found("larger than the server lets a token be");
    setenv("BEARER_TOKEN_FILE", write_file("large", large, 4095, 0600), 1);
    large[4095] = '\0';
    assert_found(large);
    setenv("BEARER_TOKEN_FILE", write_file("binary", "a\0b", 3, 0600), 1);
    assert_not_found("holds no token: character 2");
    setenv("BEARER_TOKEN_FILE", in_folder("token/below"), 1);
    assert_not_found("Not a directory");
}

/* Root reads what it was told to read; but what lies in a guessed place must be its own. */
static void token_of_another(void **state)
{
    char name[64];

    (void)state;
    if (geteuid() != 0)
        skip();
    snprintf(name, sizeof name, "bt_u%u", (unsigned)geteuid());
    assert_int_equal(chown(write_text(name, SECRET), 12345, 12345), 0);
    setenv("BEARER_TOKEN_FILE", in_folder(name), 1);
    assert_found(SECRET);
    unsetenv("BEARER_TOKEN_FILE");
    setenv("XDG_RUNTIME_DIR", folder, 1);
    assert_not_found("belongs to another user");
    unlink(in_folder(name));
}

/* --- secrets in memory --- */

/* free() writes over the beginning of what it is given: the end of the token is looked for. */
enum { TOKEN_SIZE = 96, PATTERN_SIZE = 48 };

/* A token that stands in memory nowhere but here; and whatever else is looked for is looked for in these. */
static char token_text[TOKEN_SIZE], window[1 << 16];
static const char *const pattern = token_text + TOKEN_SIZE - PATTERN_SIZE;

static size_t count_in_window(size_t length)
{
    size_t count = 0;

    for (const char *at = window; (size_t)(at - window) + PATTERN_SIZE <= length; at++) {
        at = (const char *)memchr(at, pattern[0], length - (size_t)(at - window) - PATTERN_SIZE + 1);
        if (at == NULL)
            break;
        count += memcmp(at, pattern, PATTERN_SIZE) == 0;
    }
    return count;
}

static size_t count_between(int memory, uint64_t from, uint64_t to)
{
    size_t count = 0;

    for (uint64_t at = from; at < to; at += sizeof window - PATTERN_SIZE + 1) {
        const size_t size = to - at < sizeof window ? (size_t)(to - at) : sizeof window;
        const ssize_t n = pread(memory, window, size, (off_t)at);
        if (n > 0)
            count += count_in_window((size_t)n);
    }
    explicit_bzero(window, sizeof window);
    return count;
}

/* How often the pattern stands in the heap and in anonymous memory. What is huge is a sanitizer's; on the stack stand
 * registers, too, as the dynamic linker saved them after a copy. */
static size_t copies_in_memory(void)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    const int memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
    char line[PATH_SIZE], mode[8], name[PATH_SIZE];
    uint64_t from, to;
    size_t count = 0;

    assert_non_null(maps);
    assert_true(memory >= 0);
    while (fgets(line, sizeof line, maps) != NULL) {
        name[0] = '\0';
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %*s %*s %*s %511s", &from, &to, mode, name) < 3)
            continue;
        if (strncmp(mode, "rw", 2) != 0 || strcmp(name, "[stack]") == 0 || to - from > (UINT64_C(64) << 20))
            continue;
        if (((uintptr_t)pattern >= from && (uintptr_t)pattern < to)
            || ((uintptr_t)window >= from && (uintptr_t)window < to))
            continue;
        count += count_between(memory, from, to);
    }
    fclose(maps);
    close(memory);
    return count;
}

static void nothing_stays(void **state)
{
    struct xro_random random = { .state = (uint64_t)getpid() };
    struct xro_buf out;
    char *seen;

    (void)state;
    for (unsigned i = 0; i < TOKEN_SIZE; i++)
        token_text[i] = (char)('A' + xro_random_below(&random, 26));
    setenv("BEARER_TOKEN_FILE", write_file("secret", token_text, sizeof token_text, 0600), 1);
    out = credentials_of("&P=ztn,0:4096:", true);
    seen = (char *)out.bytes + 10;
    assert_memory_equal(seen, token_text, TOKEN_SIZE);
    assert_int_equal(copies_in_memory(), 1);            /* that one */
    xro_auth_wipe(&out);
    assert_int_equal(copies_in_memory(), 0);
    xro_buf_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(discovery_order, clean),
        cmocka_unit_test_setup(token_files, clean),
        cmocka_unit_test_setup(token_of_another, clean),
        cmocka_unit_test_setup(nothing_stays, clean),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
