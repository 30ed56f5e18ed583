/* Runs the driver with a fakeapi server. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <curl/curl.h>

#include "driver.h"
#include "fakeapi.h"
#include "kube.h"

#define CLAIMS "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims"
#define UPDATES "update resourceclaims/status default/gpu"
#define OTHER_DRIVER "nic.example.com"

enum { TIMEOUT_SECONDS = 60 };

static struct fakeapi *server;
static struct kube *kube;

unsigned __wrap_sleep(unsigned seconds);

/* The linker calls this function in place of sleep, so the tests do not wait. A test says which pauses it expects. */
unsigned __wrap_sleep(unsigned seconds) {
    check_expected(seconds);
    return 0;
}

/* Sends a request, and checks the status code of the response. Returns the body. */
static cJSON *request(const char *method, const char *path, const char *body, long code) {
    cJSON *parsed = cJSON_Parse(body);
    struct kube_response response = kube_request(kube, method, path, parsed);
    cJSON_Delete(parsed);
    assert_int_equal(response.code, code);
    return response.body;
}

static cJSON *read_claim(const char *name) {
    char path[256];
    snprintf(path, sizeof path, CLAIMS "/%s", name);
    return request("GET", path, NULL, 200);
}

/* Creates a claim, and allocates a device of the driver and one of another driver to it, as the scheduler does. */
static void create_allocated_claim(const char *name) {
    char path[256];
    char claim[512];
    snprintf(claim, sizeof claim,
             "{\"metadata\": {\"name\": \"%s\"}, \"spec\": {\"devices\": {\"requests\":"
             " [{\"name\": \"gpu\", \"exactly\": {\"deviceClassName\": \"" DRIVER_NAME "\"}},"
             "  {\"name\": \"nic\", \"exactly\": {\"deviceClassName\": \"" OTHER_DRIVER "\"}}]}}}",
             name);
    cJSON_Delete(request("POST", CLAIMS, claim, 201));
    snprintf(path, sizeof path, CLAIMS "/%s/status", name);
    cJSON_Delete(request("PATCH", path,
                         "{\"status\": {\"allocation\": {\"devices\": {\"results\": ["
                         "{\"request\": \"gpu\", \"driver\": \"" DRIVER_NAME "\","
                         " \"pool\": \"node\", \"device\": \"gpu-0\"},"
                         "{\"request\": \"nic\", \"driver\": \"" OTHER_DRIVER "\","
                         " \"pool\": \"node\", \"device\": \"nic-0\"}]}}}}",
                         200));
}

static bool is_named(const cJSON *claim, const char *name) {
    const cJSON *metadata = cJSON_GetObjectItem(claim, "metadata");
    return strcmp(cJSON_GetStringValue(cJSON_GetObjectItem(metadata, "name")), name) == 0;
}

/* Returns the status of the driver's device, or NULL if the claim does not have one. */
static const cJSON *device_of(const cJSON *claim, const char *driver) {
    const cJSON *device;
    cJSON_ArrayForEach(device, cJSON_GetObjectItem(cJSON_GetObjectItem(claim, "status"), "devices")) {
        if (strcmp(cJSON_GetStringValue(cJSON_GetObjectItem(device, "driver")), driver) == 0) {
            return device;
        }
    }
    return NULL;
}

/* Returns whether the device of the driver has the condition Ready. */
static bool is_ready(const cJSON *claim) {
    const cJSON *condition;
    cJSON_ArrayForEach(condition, cJSON_GetObjectItem(device_of(claim, DRIVER_NAME), "conditions")) {
        if (strcmp(cJSON_GetStringValue(cJSON_GetObjectItem(condition, "type")), READY) == 0) {
            return strcmp(cJSON_GetStringValue(cJSON_GetObjectItem(condition, "status")), "True") == 0;
        }
    }
    return false;
}

/*
 * Creates the claim "later" after the first event, and ends the driver when the claim is ready.
 *
 * The driver handles one event after the other. At its end, it has therefore seen its own write to the first claim.
 */
static bool until_a_later_claim_is_ready(const cJSON *claim, void *created) {
    if (!*(bool *)created) {
        *(bool *)created = true;
        create_allocated_claim("later");
    }
    return !(is_named(claim, "later") && is_ready(claim));
}

static void run_driver(void) {
    bool created = false;
    driver_run(kube, until_a_later_claim_is_ready, &created);
}

static void the_driver_writes_the_status_once(void **state) {
    (void)state;
    create_allocated_claim("gpu");
    run_driver();
    assert_string_equal(fakeapi_codes(server, UPDATES), "200");
}

static void the_driver_writes_again_after_three_conflicts(void **state) {
    (void)state;
    fakeapi_fault(server, "conflict", "update resourceclaims/status", 3);
    create_allocated_claim("gpu");
    run_driver();
    assert_string_equal(fakeapi_codes(server, UPDATES), "409 409 409 200");
}

static void the_driver_waits_as_long_as_the_server_asks(void **state) {
    (void)state;
    fakeapi_fault(server, "throttle", "update resourceclaims/status", 2);
    create_allocated_claim("gpu");
    expect_value_count(__wrap_sleep, seconds, 1, 2);
    run_driver();
    assert_string_equal(fakeapi_codes(server, UPDATES), "429 429 200");
}

static void the_driver_starts_the_watch_again_after_it_broke_off(void **state) {
    (void)state;
    fakeapi_fault(server, "cut_watch", "resourceclaims", 1);
    create_allocated_claim("gpu");
    expect_value(__wrap_sleep, seconds, 1);
    run_driver();
    assert_string_equal(fakeapi_codes(server, "watch resourceclaims"), "200 200");
    assert_string_equal(fakeapi_codes(server, UPDATES), "200");
}

/* After a lost reply, libcurl sends the request again. The server refuses the repeated write as a conflict. */
static void a_lost_reply_does_not_repeat_the_write(void **state) {
    (void)state;
    fakeapi_fault(server, "lose_reply", "update resourceclaims/status", 1);
    create_allocated_claim("gpu");
    run_driver();
    assert_string_equal(fakeapi_codes(server, UPDATES), "0 409");
}

static void the_status_of_another_driver_is_kept(void **state) {
    (void)state;
    create_allocated_claim("gpu");
    cJSON *stale = read_claim("gpu");
    cJSON_Delete(request("PATCH", CLAIMS "/gpu/status",
                         "{\"status\": {\"devices\": [{\"driver\": \"" OTHER_DRIVER "\","
                         " \"pool\": \"node\", \"device\": \"nic-0\"}]}}",
                         200));
    assert_true(driver_report_ready(kube, stale));
    assert_string_equal(fakeapi_codes(server, UPDATES), "409 200");
    cJSON *claim = read_claim("gpu");
    assert_true(is_ready(claim));
    assert_non_null(device_of(claim, OTHER_DRIVER));
    cJSON_Delete(claim);
    cJSON_Delete(stale);
}

static void the_report_gives_up_after_five_conflicts(void **state) {
    (void)state;
    create_allocated_claim("gpu");
    cJSON *claim = read_claim("gpu");
    fakeapi_fault(server, "conflict", "update resourceclaims/status", 10);
    assert_false(driver_report_ready(kube, claim));
    cJSON_Delete(claim);
    assert_string_equal(fakeapi_codes(server, UPDATES), "409 409 409 409 409");
}

static void a_deleted_claim_needs_no_report(void **state) {
    (void)state;
    create_allocated_claim("gpu");
    cJSON *claim = read_claim("gpu");
    cJSON_Delete(request("DELETE", CLAIMS "/gpu", NULL, 200));
    assert_true(driver_report_ready(kube, claim));
    cJSON_Delete(claim);
    assert_string_equal(fakeapi_codes(server, UPDATES), "404");
}

static void a_reset_deletes_objects_and_faults_and_requests(void **state) {
    (void)state;
    create_allocated_claim("gpu");
    fakeapi_fault(server, "forbidden", "create resourceclaims", 1);
    fakeapi_reset(server);
    assert_string_equal(fakeapi_codes(server, "write"), "");
    create_allocated_claim("gpu"); /* neither 409 AlreadyExists nor 403 Forbidden */
}

static int start_server(void **state) {
    (void)state;
    server = fakeapi_start(NULL);
    kube = kube_open(fakeapi_url(server));
    return kube == NULL;
}

static int stop_server(void **state) {
    (void)state;
    kube_close(kube);
    fakeapi_stop(server);
    return 0;
}

/* Each test starts with a new cluster. */
static int reset_server(void **state) {
    (void)state;
    fakeapi_reset(server);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_driver_writes_the_status_once, reset_server),
        cmocka_unit_test_setup(the_driver_writes_again_after_three_conflicts, reset_server),
        cmocka_unit_test_setup(the_driver_waits_as_long_as_the_server_asks, reset_server),
        cmocka_unit_test_setup(the_driver_starts_the_watch_again_after_it_broke_off, reset_server),
        cmocka_unit_test_setup(a_lost_reply_does_not_repeat_the_write, reset_server),
        cmocka_unit_test_setup(the_status_of_another_driver_is_kept, reset_server),
        cmocka_unit_test_setup(the_report_gives_up_after_five_conflicts, reset_server),
        cmocka_unit_test_setup(a_deleted_claim_needs_no_report, reset_server),
        cmocka_unit_test_setup(a_reset_deletes_objects_and_faults_and_requests, reset_server),
    };
    alarm(TIMEOUT_SECONDS); /* ends a test that hangs; the server then ends too */
    curl_global_init(CURL_GLOBAL_DEFAULT);
    int failures = cmocka_run_group_tests_name("driver", tests, start_server, stop_server);
    curl_global_cleanup();
    return failures;
}
