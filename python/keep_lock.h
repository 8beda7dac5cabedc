/* Included by the generated module _core, whose functions give up Python's lock around their call: those of states keep
 * it, but for play-outs and searches.
 *
 * They take about a microsecond, less than to hand the lock over. And while it is kept no other thread sees a state half
 * changed, or changes one that is being read: several Python threads may use one state, at no cost. */
#include <string.h>

static inline int keeps_lock(const char *function)
{
    return strncmp(function, "_cffi_f_mh_state_", 17) == 0 && strncmp(function + 17, "play_out", 8) != 0 &&
           strncmp(function + 17, "search", 6) != 0;
}

#undef Py_BEGIN_ALLOW_THREADS
#undef Py_END_ALLOW_THREADS
#define Py_BEGIN_ALLOW_THREADS                                                                                          \
    {                                                                                                                  \
        PyThreadState *const given_up = keeps_lock(__func__) ? NULL : PyEval_SaveThread();
#define Py_END_ALLOW_THREADS                                                                                            \
    if (given_up) {                                                                                                    \
        PyEval_RestoreThread(given_up);                                                                                \
    }                                                                                                                  \
    }
