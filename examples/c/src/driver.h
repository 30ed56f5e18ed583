/* Reports allocated devices as ready, in the status of their ResourceClaim. */

#ifndef DRIVER_H
#define DRIVER_H

#include <stdbool.h>

#include <cjson/cJSON.h>

#include "kube.h"

/* The driver whose devices are reported. */
#define DRIVER_NAME "gpu.example.com"

/* The type of the condition that is written. */
#define READY "Ready"

/* Called after the driver has handled a claim. Returns whether the driver continues. */
typedef bool driver_observer(const cJSON *claim, void *context);

/*
 * Writes the condition Ready for each allocated device of the driver.
 *
 * After a conflict, reads the claim again and repeats the write. After 429 Too Many Requests, waits as long as the
 * server asks. Gives up after five attempts. Returns whether all devices are reported, or the claim is deleted.
 */
bool driver_report_ready(struct kube *kube, const cJSON *claim);

/* Watches the ResourceClaims of all namespaces, and reports their devices. Returns when the observer returns false. */
void driver_run(struct kube *kube, driver_observer *observer, void *context);

#endif
