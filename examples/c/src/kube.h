/* A client of a Kubernetes API server, with JSON over HTTP. */

#ifndef KUBE_H
#define KUBE_H

#include <stdbool.h>

#include <cjson/cJSON.h>

/* A client. It sends one request at a time, so each thread needs its own client. */
struct kube;

/* A response. Delete the body with cJSON_Delete. */
struct kube_response {
    long code;        /* the HTTP status code; 0 if the response did not arrive */
    long retry_after; /* the header Retry-After in seconds; 0 without the header */
    cJSON *body;      /* NULL if the body is not JSON */
};

/* Handles an event of a watch. Returns whether the watch continues. The function may send requests with the client. */
typedef bool kube_handler(const char *type, const cJSON *object, void *context);

/* Returns a client of the server at this URL, or NULL without memory. */
struct kube *kube_open(const char *url);

/* Frees the client. Does nothing for NULL. */
void kube_close(struct kube *kube);

/* Sends a request. The body is NULL for a request without a body. PATCH sends a JSON merge patch. */
struct kube_response kube_request(struct kube *kube, const char *method, const char *path, const cJSON *body);

/*
 * Watches a collection: first, the server sends an event ADDED for each object, and then the changes.
 *
 * Returns when the handler ends the watch, or when the watch ends for another reason.
 */
void kube_watch(struct kube *kube, const char *path, kube_handler *handler, void *context);

#endif
