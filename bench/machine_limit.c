// What this machine can do at most, for bench/kernels.py to hold kernels against: f32 FMA rate and memory
// bandwidth, with 1 to N threads, each on a core of its own.
//
// machine_limit [N]: prints lines "name threads value unit". The rate is that of twelve independent chains of
// eight-lane FMAs, enough to hide their latency on two units. Bandwidths are of arrays far larger than the
// caches: `triad` is a[i] = b[i] + k * c[i], counted as 12 bytes an element, `copy` a[i] = b[i] as 8, `read`
// a sum as 4.
#include <immintrin.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../tools/measure.h"

#define MAX_THREADS 64
#define CHAINS 12
#define FMA_ROUNDS 1500000
#define ELEMENTS ((size_t)24 << 20)  // 96 MiB an array
#define REPEATS 12

static float *to, *from, *with;
static volatile float sink;  // keeps results alive

typedef struct share {
  int index, count;
  size_t begin, end;  // elements
  void (*work)(const struct share *);
  pthread_barrier_t *start;
  double begin_ms, end_ms;
} share;

__attribute__((target("avx2,fma"))) static void fma_chains(const share *s) {
  __m256 chain[CHAINS], factor = _mm256_set1_ps(0.5f), term = _mm256_set1_ps((float)s->index + 1);
  for (int k = 0; k < CHAINS; ++k) chain[k] = _mm256_set1_ps((float)k);
  for (int i = 0; i < FMA_ROUNDS; ++i)
#pragma GCC unroll 12
    for (int k = 0; k < CHAINS; ++k) chain[k] = _mm256_fmadd_ps(chain[k], factor, term);
  float lanes[8], total = 0;
  for (int k = 1; k < CHAINS; ++k) chain[0] = _mm256_add_ps(chain[0], chain[k]);
  _mm256_storeu_ps(lanes, chain[0]);
  for (int i = 0; i < 8; ++i) total += lanes[i];
  sink = total;
}

__attribute__((target("avx2,fma"))) static void triad(const share *s) {
  const __m256 k = _mm256_set1_ps(1.5f);
  for (size_t i = s->begin; i < s->end; i += 8)
    _mm256_store_ps(to + i, _mm256_fmadd_ps(_mm256_load_ps(with + i), k, _mm256_load_ps(from + i)));
}

__attribute__((target("avx2"))) static void copy(const share *s) {
  for (size_t i = s->begin; i < s->end; i += 8) _mm256_store_ps(to + i, _mm256_load_ps(from + i));
}

__attribute__((target("avx2"))) static void read_only(const share *s) {
  __m256 sums[8], all = _mm256_setzero_ps();
  for (int k = 0; k < 8; ++k) sums[k] = all;
  for (size_t i = s->begin; i < s->end; i += 64)
    for (int k = 0; k < 8; ++k) sums[k] = _mm256_add_ps(sums[k], _mm256_load_ps(from + i + 8 * k));
  for (int k = 0; k < 8; ++k) all = _mm256_add_ps(all, sums[k]);
  sink = _mm256_cvtss_f32(all);
}

static void touch(const share *s) {
  for (size_t i = s->begin; i < s->end; ++i) to[i] = 0, from[i] = 1, with[i] = 2;
}

static void *run_share(void *arg) {
  share *s = arg;
  cpu_set_t usable, own;
  sched_getaffinity(0, sizeof usable, &usable);
  CPU_ZERO(&own);
  for (int cpu = 0, seen = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &usable) && seen++ == s->index) CPU_SET(cpu, &own);
  if (CPU_COUNT(&own)) sched_setaffinity(0, sizeof own, &own);
  pthread_barrier_wait(s->start);
  s->begin_ms = now_ms();
  s->work(s);
  s->end_ms = now_ms();
  return NULL;
}

// Milliseconds from the first thread's beginning to the last one's end.
static double run_once(void (*work)(const share *), int threads) {
  pthread_barrier_t start;
  pthread_t ids[MAX_THREADS];
  share shares[MAX_THREADS];
  pthread_barrier_init(&start, NULL, (unsigned)threads);
  for (int i = 0; i < threads; ++i) {
    size_t step = ELEMENTS / (size_t)threads / 64 * 64;
    shares[i] = (share){i, threads, step * (size_t)i, step * (size_t)(i + 1), work, &start, 0, 0};
    if (pthread_create(&ids[i], NULL, run_share, &shares[i]) != 0) exit(1);
  }
  double begin = 0, end = 0;
  for (int i = 0; i < threads; ++i) {
    pthread_join(ids[i], NULL);
    if (i == 0 || shares[i].begin_ms < begin) begin = shares[i].begin_ms;
    if (i == 0 || shares[i].end_ms > end) end = shares[i].end_ms;
  }
  pthread_barrier_destroy(&start);
  return end - begin;
}

static double least(void (*work)(const share *), int threads) {
  double best = run_once(work, threads);
  for (int i = 1; i < REPEATS; ++i) {
    double ms = run_once(work, threads);
    if (ms < best) best = ms;
  }
  return best;
}

int main(int argc, char **argv) {
  int most = argc > 1 ? atoi(argv[1]) : 2;
  if (most < 1 || most > MAX_THREADS) return 2;
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
    fputs("machine_limit: this CPU has no AVX2 and FMA\n", stderr);
    return 1;
  }
  to = aligned_alloc(64, ELEMENTS * sizeof *to);
  from = aligned_alloc(64, ELEMENTS * sizeof *from);
  with = aligned_alloc(64, ELEMENTS * sizeof *with);
  if (!to || !from || !with) return 1;
  run_once(touch, 1);
  for (int threads = 1; threads <= most; ++threads) {
    double flops = 16.0 * CHAINS * FMA_ROUNDS * threads, bytes = (double)ELEMENTS * sizeof(float);
    printf("fma %d %.2f GFLOP/s\n", threads, flops / least(fma_chains, threads) * 1e-6);
    printf("triad %d %.2f GB/s\n", threads, 3 * bytes / least(triad, threads) * 1e-6);
    printf("copy %d %.2f GB/s\n", threads, 2 * bytes / least(copy, threads) * 1e-6);
    printf("read %d %.2f GB/s\n", threads, bytes / least(read_only, threads) * 1e-6);
  }
  return 0;
}
