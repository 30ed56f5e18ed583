/*
 * Starts a fakeapi server, a fake Kubernetes API server, for tests. Copy fakeapi.h and fakeapi.c into your tests.
 *
 * The files need libcurl, cJSON, and the program fakeapi: `uv tool install 'fakeapi-k8s[all]'` or `pipx install
 * 'fakeapi-k8s[all]'`. The variable FAKEAPI names another program. Compile with -D_POSIX_C_SOURCE=200809L, or with
 * -std=gnu11. They work with any test framework: if a function fails, it prints the reason and ends the process with
 * exit status 1.
 */

#ifndef FAKEAPI_H
#define FAKEAPI_H

#ifdef __cplusplus
extern "C" {
#endif

/* A running server. Use it from the thread that started it. On Linux, the server stops when this thread ends. */
struct fakeapi;

/*
 * Starts a server on a free port of 127.0.0.1.
 *
 * `options` are options of `fakeapi serve`, and end with NULL: {"--release", "1.34", NULL}. NULL means no options. The
 * server also stops when the process has ended, even if the process was killed.
 */
struct fakeapi *fakeapi_start(const char *const options[]);

/* Stops the server, and frees it. Does nothing for NULL. */
void fakeapi_stop(struct fakeapi *server);

/* Returns the URL of the server, such as "http://127.0.0.1:40123". Its clients need no credentials. */
const char *fakeapi_url(const struct fakeapi *server);

/*
 * Injects a fault, which affects the next matching requests.
 *
 * "conflict" with the target "update resourceclaims/status" answers them with 409 Conflict. docs/faults.md of fakeapi
 * lists all faults.
 */
void fakeapi_fault(struct fakeapi *server, const char *fault, const char *target, int times);

/*
 * Returns the status codes of the recorded requests that match a pattern, oldest first, such as "409 200".
 *
 * The pattern is VERB [RESOURCE[/SUBRESOURCE] [NAMESPACE/NAME]]: "update resourceclaims/status default/gpu". A request
 * without a response has the code 0. The text is valid until the next call of the same function for this server.
 */
const char *fakeapi_codes(struct fakeapi *server, const char *pattern);

/*
 * Returns the recorded requests that match a pattern, oldest first, each in one line.
 *
 * The pattern is that of fakeapi_codes. The text is valid until the next call of the same function for this server.
 */
const char *fakeapi_requests(struct fakeapi *server, const char *pattern);

/* Deletes all objects, faults and recorded requests, as in a new cluster. Watches end. */
void fakeapi_reset(struct fakeapi *server);

#ifdef __cplusplus
}
#endif

#endif
