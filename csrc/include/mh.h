/* Public header for C and C++ programs: see mh_api.h for games, states and batches,
 * mh_draw_api.h for pictures, mh_buffers.h for the arrays of batches. */
#ifndef MH_H
#define MH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif
#include "mh_api.h"
#include "mh_buffers.h"
#include "mh_draw_api.h"
#ifdef __cplusplus
}
#endif

#endif
