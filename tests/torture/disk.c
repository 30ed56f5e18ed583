/* A library to preload: it notes what a process does to files, and makes their disk fail.
 *
 * TORTURE_DIR    the directory whose files are meant; nothing else is touched
 * TORTURE_LOG    a file that receives a record of each write, truncation, sync and removal, in their order
 * TORTURE_FULL   a path: while it exists, writes fail with ENOSPC
 * TORTURE_EINTR  n: every n-th write fails with EINTR, as if a signal had come first
 * TORTURE_SLOW   microseconds that each sync takes longer
 *
 * A record: one byte of kind (W, T, S or U), the length of the path (4 bytes), offset and size (8 bytes each), in
 * the machine's order; then the path, and for W the bytes that were written.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FILES 1024

static char *paths[FILES];
static const char *directory, *full;
static long interrupt_every, slow_microseconds, writes;
static int log_file = -1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((constructor)) static void begin(void) {
    const char *text;
    directory = getenv("TORTURE_DIR");
    full = getenv("TORTURE_FULL");
    if ((text = getenv("TORTURE_EINTR"))) interrupt_every = atol(text);
    if ((text = getenv("TORTURE_SLOW"))) slow_microseconds = atol(text);
    if ((text = getenv("TORTURE_LOG")))
        log_file = syscall(SYS_openat, AT_FDCWD, text, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static void put(const void *data, size_t size) {
    while (size) {
        long done = syscall(SYS_write, log_file, data, size);
        if (done < 0) abort();
        data = (const char *)data + done;
        size -= done;
    }
}

static void note(char kind, const char *path, uint64_t offset, uint64_t size, const void *data) {
    if (log_file < 0) return;
    uint32_t length = strlen(path);
    put(&kind, 1), put(&length, 4), put(&offset, 8), put(&size, 8), put(path, length);
    if (data) put(data, size);
}

static const char *path_of(int file) { return file >= 0 && file < FILES ? paths[file] : NULL; }

static int is_meant(const char *path) { return directory && !strncmp(path, directory, strlen(directory)); }

static int opened(int file, const char *path) {
    if (file >= 0 && file < FILES && is_meant(path)) {
        free(paths[file]);
        paths[file] = strdup(path);
    }
    return file;
}

static int is_refused(const char *path) {
    if (full && !access(full, F_OK)) return errno = ENOSPC;
    if (interrupt_every && ++writes % interrupt_every == 0) return errno = EINTR;
    return 0;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define OPEN(name)                                                                                                  \
    int name(const char *path, int flags, ...) {                                                                     \
        va_list rest;                                                                                                \
        va_start(rest, flags);                                                                                       \
        mode_t mode = va_arg(rest, mode_t);                                                                          \
        va_end(rest);                                                                                                \
        return opened(syscall(SYS_openat, AT_FDCWD, path, flags, mode), path);                                       \
    }
OPEN(open)
OPEN(open64)

int close(int file) {
    if (path_of(file)) free(paths[file]), paths[file] = NULL;
    return syscall(SYS_close, file);
}

ssize_t write(int file, const void *data, size_t size) {
    const char *path = path_of(file);
    if (!path) return syscall(SYS_write, file, data, size);
    if (is_refused(path)) return -1;
    pthread_mutex_lock(&lock);
    ssize_t done = syscall(SYS_write, file, data, size);
    if (done > 0) note('W', path, lseek(file, 0, SEEK_CUR) - done, done, data);
    pthread_mutex_unlock(&lock);
    return done;
}

static ssize_t write_at(int file, const void *data, size_t size, off_t offset) {
    const char *path = path_of(file);
    if (!path) return syscall(SYS_pwrite64, file, data, size, offset);
    if (is_refused(path)) return -1;
    pthread_mutex_lock(&lock);
    ssize_t done = syscall(SYS_pwrite64, file, data, size, offset);
    if (done > 0) note('W', path, offset, done, data);
    pthread_mutex_unlock(&lock);
    return done;
}

ssize_t pwrite(int file, const void *data, size_t size, off_t offset) { return write_at(file, data, size, offset); }
ssize_t pwrite64(int file, const void *data, size_t size, off64_t offset) {
    return write_at(file, data, size, offset);
}

static int truncated(int file, off_t size) {
    const char *path = path_of(file);
    pthread_mutex_lock(&lock);
    int result = syscall(SYS_ftruncate, file, size);
    if (path && !result) note('T', path, size, 0, NULL);
    pthread_mutex_unlock(&lock);
    return result;
}

int ftruncate(int file, off_t size) { return truncated(file, size); }
int ftruncate64(int file, off64_t size) { return truncated(file, size); }

static int synced(int file, long number) {
    const char *path = path_of(file);
    if (path && slow_microseconds) usleep(slow_microseconds);
    pthread_mutex_lock(&lock);
    int result = log_file < 0 || !path ? syscall(number, file) : 0; /* nothing is lost but by the test */
    if (path && !result) note('S', path, 0, 0, NULL);
    pthread_mutex_unlock(&lock);
    return result;
}

int fsync(int file) { return synced(file, SYS_fsync); }
int fdatasync(int file) { return synced(file, SYS_fdatasync); }

int unlink(const char *path) {
    pthread_mutex_lock(&lock);
    int result = syscall(SYS_unlinkat, AT_FDCWD, path, 0);
    if (!result && is_meant(path)) note('U', path, 0, 0, NULL);
    pthread_mutex_unlock(&lock);
    return result;
}
