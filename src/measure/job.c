/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "measure/job.h"

#include "base/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* the TLS mode stands in the bits above */
enum { FLAG_PREFER_V4 = 1, FLAG_PIPELINE = 2, FLAG_TLS_RESUME = 4, FLAG_TLS_MODE = 8 };

char *xro_job_to_line(const struct xro_job *job, char *to, size_t size)
{
    const struct xro_settings *settings = &job->settings;
    int flags = (settings->prefer_v4 ? FLAG_PREFER_V4 : 0) | (settings->pipeline ? FLAG_PIPELINE : 0)
        | (settings->tls_resume ? FLAG_TLS_RESUME : 0) | (int)settings->tls * FLAG_TLS_MODE;

    snprintf(to, size, "%s %" PRIu64 " %" PRIu64 " %d %d %d %s %s %s %s", job->engine->name, settings->timeout,
             settings->connect_timeout, (int)settings->family, flags, (int)job->fresh,
             settings->hosts && settings->hosts[0] ? settings->hosts : "-",
             settings->ca ? settings->ca : "-", settings->preload ? settings->preload : "-", settings->target);
    return to;
}

const char *xro_job_from_words(char *const words[XRO_JOB_WORDS], struct xro_job *job)
{
    uint64_t family, flags, fresh;

    *job = (struct xro_job){ .engine = xro_engine_find(words[0]), .settings.target = words[9] };
    if (job->engine == NULL)
        return "no such engine";
    if (xro_parse_count(words[1], &job->settings.timeout) != XRO_OK
        || xro_parse_count(words[2], &job->settings.connect_timeout) != XRO_OK
        || xro_parse_count(words[3], &family) != XRO_OK || family > XRO_FAMILY_V6
        || xro_parse_count(words[4], &flags) != XRO_OK || flags / FLAG_TLS_MODE > XRO_TLS_OFF || xro_parse_count(words[5], &fresh) != XRO_OK
        || fresh > XRO_FRESH_CONNECTION)
        return "not a job";
    job->settings.family = (enum xro_family)family;
    job->settings.prefer_v4 = flags & FLAG_PREFER_V4;
    job->settings.pipeline = flags & FLAG_PIPELINE;
    job->settings.tls_resume = flags & FLAG_TLS_RESUME;
    job->settings.tls = (enum xro_tls_mode)(flags / FLAG_TLS_MODE);
    job->fresh = (enum xro_fresh)fresh;
    job->settings.hosts = strcmp(words[6], "-") != 0 ? words[6] : NULL;
    job->settings.ca = strcmp(words[7], "-") != 0 ? words[7] : NULL;
    job->settings.preload = strcmp(words[8], "-") != 0 ? words[8] : NULL;
    return xro_url_parse(words[9], &job->settings.url);
}

size_t xro_split_words(char *line, char **words, size_t count)
{
    size_t n = 0;

    while (n < count) {
        line += strspn(line, " ");
        if (*line == '\0')
            break;
        words[n++] = line;
        if (n == count)
            break;
        line += strcspn(line, " ");
        if (*line != '\0')
            *line++ = '\0';
    }
    return n;
}
