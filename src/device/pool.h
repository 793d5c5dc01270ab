// dvt_pool: the one thread pool, for nodes that run in parallel and for loops inside kernels. Work stealing;
// the caller of a parallel loop works too; nested loops run on the same threads. A pool of one thread runs
// all in place. A child process may go on using the pools it was born with: they start threads of their own.
#ifndef DVT_DEVICE_POOL_H_
#define DVT_DEVICE_POOL_H_

#include "base/status.h"

typedef struct dvt_pool dvt_pool;

// `threads` counts the calling thread: threads - 1 workers are started on first use. 0 = number of usable
// cores (affinity mask), or DOVETAIL_NUM_THREADS if set; a value of it that is no number from 1 to 1024 is logged
// and ignored.
dvt_status dvt_pool_create(int threads, dvt_pool **out_pool) DVT_NODISCARD;
void dvt_pool_destroy(dvt_pool *pool);  // waits for queued work
int dvt_pool_threads(const dvt_pool *pool);
// The process-wide default pool, created on first use, never destroyed before exit; NULL only when out of
// memory.
dvt_pool *dvt_pool_default(void);

// Queues fn(arg); runs in place when the pool has one thread. Any thread may call.
void dvt_pool_schedule(dvt_pool *pool, void (*fn)(void *arg), void *arg);

// The same for tasks that others may wait for inside tasks, as kernels do: when every worker waits and none computes,
// another thread runs what is queued (up to 64 of them). The task goes to one of the workers [start, limit), of which
// there may be fewer; any may take it from there.
enum { DVT_ANY_THREAD = INT32_MAX };
void dvt_pool_schedule_task(dvt_pool *pool, void (*fn)(void *arg), void *arg, int start, int limit);

// Runs one queued task in the calling thread, if there is one: for a thread that has to wait for tasks it
// queued.
bool dvt_pool_run_one(dvt_pool *pool);

// Runs fn(arg, begin, end) over disjoint sub-ranges covering [0, total) and returns when all are done.
// `cost_ns` estimates one element's cost; small totals run in the calling thread. NULL pool: in place.
// What fn throws (C++) ends the loop: no further sub-range is begun, and the error says what was thrown.
dvt_status dvt_pool_parallel_for(dvt_pool *pool, int64_t total, int64_t cost_ns,
                                 void (*fn)(void *arg, int64_t begin, int64_t end), void *arg) DVT_NODISCARD;
// The same in sub-ranges of `chunk` elements (at least 1), each a call of fn; the last may be shorter.
dvt_status dvt_pool_loop(dvt_pool *pool, int64_t total, int64_t chunk,
                         void (*fn)(void *arg, int64_t begin, int64_t end), void *arg) DVT_NODISCARD;
// The length of sub-ranges that dvt_pool_parallel_for would choose; `total` where one thread does it all.
int64_t dvt_pool_chunk(const dvt_pool *pool, int64_t total, int64_t cost_ns);
// Index of the calling thread in [0, threads): 0 for threads that are not workers of the pool.
int dvt_pool_worker_index(const dvt_pool *pool);

#endif  // DVT_DEVICE_POOL_H_
