/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * common.h - what all commands that measure a target share: its options, the XRD_* variables, its messages. */
#ifndef XRO_CLI_COMMON_H
#define XRO_CLI_COMMON_H

#include "cli/options.h"
#include "measure/job.h"

struct xro_client_options {
    const char *engine;         /* NULL: by the URL */
    xro_ns timeout, connect_timeout;
    bool timeout_given, connect_timeout_given;
    bool v4, v6;
    bool pipeline;
    unsigned tls;               /* enum xro_tls_mode */
    const char *ca;
    bool tls_resume;
    struct xro_texts resolve;
    char hosts[XRO_JOB_HOSTS_SIZE];     /* --resolve, all together; made by xro_job_make */
};

#define XRO_CLIENT_DEFAULTS { .timeout = 30 * XRO_NS_PER_S }

extern const char *const xro_tls_mode_names[];   /* in the order of enum xro_tls_mode, NULL at the end */

/* Rows of an option table, for struct xro_client_options at OPTIONS. */
#define XRO_CLIENT_OPTION_ROWS(options)                                                                                \
    { "engine", 'e', XRO_OPTION_TEXT, &(options)->engine, "NAME", NULL,                                                \
      "how to reach it: local, wire, xrdcl, xrdposix, null (a URL: wire, a path: local)", NULL },                      \
    { "timeout", 't', XRO_OPTION_DURATION, &(options)->timeout, "TIME", NULL, "limit for one whole sample",            \
      &(options)->timeout_given },                                                                                     \
    { "connect-timeout", 0, XRO_OPTION_DURATION, &(options)->connect_timeout, "TIME", NULL,                            \
      "limit from name look-up to login, per hop (none of its own)", &(options)->connect_timeout_given },              \
    { "ipv4", '4', XRO_OPTION_FLAG, &(options)->v4, NULL, NULL, "IPv4 only", NULL },                                   \
    { "ipv6", '6', XRO_OPTION_FLAG, &(options)->v6, NULL, NULL, "IPv6 only", NULL },                                   \
    { "resolve", 0, XRO_OPTION_LIST, &(options)->resolve, "NAME=ADDR[,ADDR]", NULL,                                    \
      "these addresses in place of a name look-up (wire; repeatable)", NULL },                                         \
    { "tls", 0, XRO_OPTION_CHOICE, &(options)->tls, "WHEN", xro_tls_mode_names,                                        \
      "TLS: allow (when the server wants it), require or off (wire)", NULL },                                          \
    { "ca", 0, XRO_OPTION_TEXT, &(options)->ca, "PATH", NULL,                                                          \
      "trust these certificate authorities, a file or a folder (wire)", NULL },                                        \
    { "tls-resume", 0, XRO_OPTION_FLAG, &(options)->tls_resume, NULL, NULL,                                            \
      "resume a TLS session that is made before the sample (wire)", NULL },                                            \
    { "pipeline", 0, XRO_OPTION_FLAG, &(options)->pipeline, NULL, NULL,                                                \
      "handshake to open in one flight (wire)", NULL }

/* Make JOB from OPTIONS, the environment, and TARGET, which must outlive it. XRO_EXIT_GOOD, or the exit code after a
 * message. ENGINE overrides OPTIONS' when not NULL. */
int xro_job_make(const char *command, struct xro_client_options *options, const char *engine, const char *target,
                 struct xro_job *job);

/* The I-th XRD_* or other variable of the official client that is set and that applied to JOB, as "NAME=VALUE"; false past
 * the last. */
bool xro_job_variable(const struct xro_job *job, unsigned index, char *text, size_t size);

/* The exit code for a failed sample's error. */
int xro_exit_for(const struct xro_error *error);

/* The main function's first stamp, for the time from spawn to main. */
extern xro_ns xro_main_stamp;

extern const struct xro_command xro_command_once, xro_command_run, xro_command_report, xro_command_lab,
    xro_command_imposter, xro_command_selftest, xro_command_sample, xro_command_agent, xro_command_version,
    xro_command_completion;

#endif
