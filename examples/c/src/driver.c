#include "driver.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CLAIMS "/apis/resource.k8s.io/v1/resourceclaims"
#define CLAIM "/apis/resource.k8s.io/v1/namespaces/%s/resourceclaims/%s"

enum {
    OK = 200,
    NOT_FOUND = 404,
    CONFLICT = 409,
    TOO_MANY_REQUESTS = 429,

    ATTEMPTS = 5,
    PATH_BYTES = 512,
    RESTART_SECONDS = 1,
};

struct run {
    struct kube *kube;
    driver_observer *observer;
    void *context;
    bool stopped_by_observer;
};

static cJSON *get(const cJSON *object, const char *key) {
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

/* Returns the text of a field; "" if the object does not have the field. */
static const char *text(const cJSON *object, const char *key) {
    const char *value = cJSON_GetStringValue(get(object, key));
    return value == NULL ? "" : value;
}

static bool same(const cJSON *left, const cJSON *right, const char *key) {
    return strcmp(text(left, key), text(right, key)) == 0;
}

/* Returns a list of the object. Adds an empty list if the object does not have one. */
static cJSON *list(cJSON *object, const char *key) {
    cJSON *known = get(object, key);
    return known != NULL ? known : cJSON_AddArrayToObject(object, key);
}

/* Returns the status of an allocated device. Adds an empty one if there is none. */
static cJSON *device_status(cJSON *devices, const cJSON *allocated) {
    cJSON *device;
    cJSON_ArrayForEach(device, devices) {
        if (same(device, allocated, "driver") && same(device, allocated, "pool") && same(device, allocated, "device")) {
            return device;
        }
    }
    device = cJSON_CreateObject();
    cJSON_AddStringToObject(device, "driver", text(allocated, "driver"));
    cJSON_AddStringToObject(device, "pool", text(allocated, "pool"));
    cJSON_AddStringToObject(device, "device", text(allocated, "device"));
    cJSON_AddItemToArray(devices, device);
    return device;
}

/* Sets the condition Ready in a list of conditions. Returns whether the list changed. */
static bool set_condition(cJSON *conditions) {
    for (int index = cJSON_GetArraySize(conditions) - 1; index >= 0; index--) {
        const cJSON *condition = cJSON_GetArrayItem(conditions, index);
        if (strcmp(text(condition, "type"), READY) != 0) {
            continue;
        }
        if (strcmp(text(condition, "status"), "True") == 0) {
            return false;
        }
        cJSON_DeleteItemFromArray(conditions, index);
    }
    char now[sizeof "2000-01-01T00:00:00Z"];
    time_t seconds = time(NULL);
    struct tm utc;
    strftime(now, sizeof now, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&seconds, &utc));
    cJSON *condition = cJSON_CreateObject();
    cJSON_AddStringToObject(condition, "type", READY);
    cJSON_AddStringToObject(condition, "status", "True");
    cJSON_AddStringToObject(condition, "reason", "Prepared");
    cJSON_AddStringToObject(condition, "message", "");
    cJSON_AddStringToObject(condition, "lastTransitionTime", now);
    return cJSON_AddItemToArray(conditions, condition);
}

/* Sets the condition Ready for each allocated device of the driver. Returns whether the claim changed. */
static bool set_ready(cJSON *claim) {
    cJSON *status = get(claim, "status");
    const cJSON *results = get(get(get(status, "allocation"), "devices"), "results");
    const cJSON *allocated;
    bool changed = false;
    cJSON_ArrayForEach(allocated, results) {
        if (strcmp(text(allocated, "driver"), DRIVER_NAME) == 0) {
            cJSON *device = device_status(list(status, "devices"), allocated);
            changed |= set_condition(list(device, "conditions"));
        }
    }
    return changed;
}

/* Sends a request. After 429 Too Many Requests, waits as long as the server asks, and sends the request again. */
static struct kube_response send_request(struct kube *kube, const char *method, const char *path, const cJSON *body) {
    struct kube_response response = kube_request(kube, method, path, body);
    for (int attempt = 1; attempt < ATTEMPTS && response.code == TOO_MANY_REQUESTS; attempt++) {
        cJSON_Delete(response.body);
        sleep((unsigned)response.retry_after);
        response = kube_request(kube, method, path, body);
    }
    return response;
}

/* Writes the status of the claim. Returns the status code of the request. */
static long write_status(struct kube *kube, const char *path, const cJSON *claim) {
    char status_path[PATH_BYTES + sizeof "/status"];
    snprintf(status_path, sizeof status_path, "%s/status", path);
    struct kube_response response = send_request(kube, "PUT", status_path, claim);
    cJSON_Delete(response.body);
    return response.code;
}

/* Replaces the claim by its newest version. Returns the status code of the request. */
static long read_again(struct kube *kube, const char *path, cJSON **claim) {
    struct kube_response response = send_request(kube, "GET", path, NULL);
    if (response.code == OK) {
        cJSON_Delete(*claim);
        *claim = response.body;
    } else {
        cJSON_Delete(response.body);
    }
    return response.code;
}

bool driver_report_ready(struct kube *kube, const cJSON *observed) {
    const cJSON *metadata = get(observed, "metadata");
    char path[PATH_BYTES];
    snprintf(path, sizeof path, CLAIM, text(metadata, "namespace"), text(metadata, "name"));

    cJSON *claim = cJSON_Duplicate(observed, true);
    long code = OK;
    for (int attempt = 1; code == OK && set_ready(claim); attempt++) {
        code = write_status(kube, path, claim);
        if (code != CONFLICT || attempt == ATTEMPTS) {
            break;
        }
        code = read_again(kube, path, &claim);
    }
    cJSON_Delete(claim);
    return code == OK || code == NOT_FOUND; /* the devices of a deleted claim need no report */
}

static bool handle(const char *type, const cJSON *claim, void *context) {
    struct run *run = context;
    if (strcmp(type, "DELETED") != 0 && !driver_report_ready(run->kube, claim)) {
        return false; /* the next watch has the claim again */
    }
    run->stopped_by_observer = !run->observer(claim, run->context);
    return !run->stopped_by_observer;
}

void driver_run(struct kube *kube, driver_observer *observer, void *context) {
    struct run run = {.kube = kube, .observer = observer, .context = context};
    for (;;) {
        kube_watch(kube, CLAIMS, handle, &run);
        if (run.stopped_by_observer) {
            return;
        }
        sleep(RESTART_SECONDS);
    }
}
