/* Where a server listens and keeps its files, checked before it begins. -1 with a message. */
#ifndef PLACES_H
#define PLACES_H

#include "setup.h"

/* Chooses the endpoint where none is given, and refuses one that others could come to without keys. */
int places_endpoint(struct setup *setup, char *message);

/* Makes the folders that are missing, and keeps other servers out of them as long as this process lives. */
int places_folders(struct setup *setup, char *message);

#endif
