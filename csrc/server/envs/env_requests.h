/* Requests of a client about one environment. Arguments and results are as PROTOCOL.md has them. */
#ifndef ENV_REQUESTS_H
#define ENV_REQUESTS_H

#include "common/request.h"

/* Rows change, and are the results. */
request_handler env_reset, env_step, env_deal, env_load, env_copy;

/* Continues a reset or a step of which only some rows have been played, as a request_handler does. */
request_handler env_continue;

/* Rows stay as they are. */
request_handler env_sample, env_save, env_state, env_words, env_omniscient;

#endif
