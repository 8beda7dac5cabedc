/* The command line: what the server is started with, and where it listens. */
#ifndef SETUP_H
#define SETUP_H

#include "net/keys.h"
#include "operator/desk.h"
#include "operator/log.h"
#include "sessions/server_options.h"

struct setup {
    struct server_options server;
    const char *bind, *secret, *allow, *resume, *sync;
    char endpoint[256];
    char secret_key[KEY_SIZE];
    struct keys allowed;
    int64_t figures_ms;
    struct desk_options desk;
    const char *log_name;
    enum log_form log;
};

/* The text that --help prints. */
extern const char setup_usage[];

/* Default values. */
struct setup setup_defaults(void);

/* Reads the options, and the files with keys that they name. The texts are those of `arguments`. -1 with a message. */
int setup_read(struct setup *self, int count, char **arguments, char *message);

/* Forgets the keys. */
void setup_free(struct setup *self);

#endif
