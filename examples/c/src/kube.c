#include "kube.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <curl/curl.h>

static const long TIMEOUT_SECONDS = 30;

/* Most bytes of a response, or of an event of a watch. Requests with a larger response fail, and watches end. */
static const size_t MAX_BYTES = 16 * 1024 * 1024;

struct kube {
    char *url;
    CURL *curl;
};

struct buffer {
    char *text; /* ends with a null character; NULL while the buffer is empty */
    size_t length;
};

struct watch {
    CURL *curl;
    struct buffer line; /* of an event, as far as it has arrived */
    kube_handler *handler;
    void *context;
    bool stopped_by_handler;
    char problem[CURL_ERROR_SIZE];
};

struct kube *kube_open(const char *url) {
    struct kube *kube = calloc(1, sizeof *kube);
    if (kube == NULL) {
        return NULL;
    }
    kube->url = strdup(url);
    kube->curl = curl_easy_init();
    if (kube->url == NULL || kube->curl == NULL) {
        kube_close(kube);
        return NULL;
    }
    return kube;
}

void kube_close(struct kube *kube) {
    if (kube == NULL) {
        return;
    }
    curl_easy_cleanup(kube->curl);
    free(kube->url);
    free(kube);
}

static bool append(struct buffer *buffer, const char *bytes, size_t count) {
    if (count > MAX_BYTES - buffer->length) {
        return false;
    }
    char *text = realloc(buffer->text, buffer->length + count + 1);
    if (text == NULL) {
        return false;
    }
    memcpy(text + buffer->length, bytes, count);
    buffer->text = text;
    buffer->length += count;
    text[buffer->length] = '\0';
    return true;
}

/* Adds bytes of a response body to the buffer. libcurl calls this function. */
static size_t receive_body(char *bytes, size_t size, size_t count, void *buffer) {
    return append(buffer, bytes, size * count) ? size * count : 0;
}

static void prepare(CURL *curl, const char *url, const char *path, const char *query) {
    char address[2048];
    snprintf(address, sizeof address, "%s%s%s", url, path, query);
    curl_easy_setopt(curl, CURLOPT_URL, address);
    curl_easy_setopt(curl, CURLOPT_PROXY, ""); /* ignores http_proxy, because the API server is in the own network */
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_USERAGENT, "devicestatus");
}

struct kube_response kube_request(struct kube *kube, const char *method, const char *path, const cJSON *body) {
    struct kube_response response = {0};
    struct buffer received = {0};
    char *text = body == NULL ? NULL : cJSON_PrintUnformatted(body);
    bool is_patch = strcmp(method, "PATCH") == 0;
    struct curl_slist *headers = curl_slist_append(
        NULL, is_patch ? "Content-Type: application/merge-patch+json" : "Content-Type: application/json");
    headers = curl_slist_append(headers, "Expect:"); /* sends the body at once */

    curl_easy_reset(kube->curl); /* keeps the connection */
    prepare(kube->curl, kube->url, path, "");
    curl_easy_setopt(kube->curl, CURLOPT_CUSTOMREQUEST, method);
    curl_easy_setopt(kube->curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(kube->curl, CURLOPT_TIMEOUT, TIMEOUT_SECONDS);
    curl_easy_setopt(kube->curl, CURLOPT_WRITEFUNCTION, receive_body);
    curl_easy_setopt(kube->curl, CURLOPT_WRITEDATA, &received);
    if (text != NULL) {
        curl_easy_setopt(kube->curl, CURLOPT_POSTFIELDS, text);
    }
    CURLcode result = curl_easy_perform(kube->curl);
    if (result == CURLE_OK) {
        curl_off_t seconds = 0;
        curl_easy_getinfo(kube->curl, CURLINFO_RESPONSE_CODE, &response.code);
        curl_easy_getinfo(kube->curl, CURLINFO_RETRY_AFTER, &seconds);
        response.retry_after = (long)seconds;
        response.body = received.text == NULL ? NULL : cJSON_Parse(received.text);
    } else {
        fprintf(stderr, "%s %s: %s\n", method, path, curl_easy_strerror(result));
    }
    curl_slist_free_all(headers);
    free(received.text);
    cJSON_free(text);
    return response;
}

/* Passes an event, which is one line of JSON, to the handler. Returns whether the watch continues. */
static bool handle_line(struct watch *watch, const char *line) {
    cJSON *event = cJSON_Parse(line);
    const char *type = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(event, "type"));
    const cJSON *object = cJSON_GetObjectItemCaseSensitive(event, "object");
    bool is_error = type == NULL || object == NULL || strcmp(type, "ERROR") == 0;
    if (!is_error) {
        watch->stopped_by_handler = !watch->handler(type, object, watch->context);
    }
    cJSON_Delete(event);
    return !is_error && !watch->stopped_by_handler;
}

/* Splits bytes of a watch into lines. Returns another number than `count` to end the watch. libcurl calls it. */
static size_t receive_events(char *bytes, size_t size, size_t count, void *context) {
    struct watch *watch = context;
    size_t left = size * count;
    while (left > 0) {
        char *end = memchr(bytes, '\n', left);
        size_t length = end == NULL ? left : (size_t)(end - bytes) + 1;
        if (!append(&watch->line, bytes, length)) {
            return 0;
        }
        if (end != NULL) {
            if (!handle_line(watch, watch->line.text)) {
                return 0;
            }
            watch->line.length = 0;
        }
        bytes += length;
        left -= length;
    }
    return size * count;
}

void kube_watch(struct kube *kube, const char *path, kube_handler *handler, void *context) {
    struct watch watch = {.curl = curl_easy_init(), .handler = handler, .context = context};
    if (watch.curl == NULL) {
        return;
    }
    /* Without a resourceVersion, the server first sends an event ADDED for each object. */
    prepare(watch.curl, kube->url, path, "?watch=true");
    curl_easy_setopt(watch.curl, CURLOPT_FAILONERROR, 1L);
    curl_easy_setopt(watch.curl, CURLOPT_TCP_KEEPALIVE, 1L);
    curl_easy_setopt(watch.curl, CURLOPT_WRITEFUNCTION, receive_events);
    curl_easy_setopt(watch.curl, CURLOPT_WRITEDATA, &watch);
    curl_easy_setopt(watch.curl, CURLOPT_ERRORBUFFER, watch.problem);
    curl_easy_perform(watch.curl);
    if (!watch.stopped_by_handler) {
        fprintf(stderr, "The watch of %s ended: %s\n", path, watch.problem);
    }
    curl_easy_cleanup(watch.curl);
    free(watch.line.text);
}
