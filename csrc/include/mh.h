/* Public header for C and C++ programs: see mh_api.h for games and states, mh_batch_api.h for
 * many at once, mh_buffers.h for their arrays, mh_draw_api.h for pictures. */
#ifndef MH_H
#define MH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif
#include "mh_api.h"
#include "mh_batch_api.h"
#include "mh_buffers.h"
#include "mh_draw_api.h"
#ifdef __cplusplus
}
#endif

#endif
