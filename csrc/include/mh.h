/* Public header for C and C++ programs: see mh_api.h for what there is. */
#ifndef MH_H
#define MH_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#include "mh_api.h"
#ifdef __cplusplus
}
#endif

#endif
