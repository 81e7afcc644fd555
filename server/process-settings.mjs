/**
 * What the server's process is started with: glibc reads its variables, and V8 most of its flags, only when a process
 * starts. The figures are the peak memory of `npm run bench -- sotw` (aim: 400 MB) on two busy cores with Node 20, or of
 * decision 41; decision 46 states how they were measured, and what was removed.
 */
export const processSettings = {
  env: {
    // Threads share one arena of malloc, and a freed buffer of more than 128 kB is returned to the system at once: 576 MB
    // instead of 655 MB without the flags below.
    MALLOC_ARENA_MAX: '1',
    MALLOC_MMAP_THRESHOLD_: '131072',
  },
  flags: [
    // Threads that serve no pages call gc() after large responses, because V8 does not collect garbage while a thread
    // waits: 399 MB instead of 490 MB.
    '--expose-gc',
    // The collectors of all threads share one helper thread, and each thread collects its new objects itself, because
    // helpers wait for each other on two cores: the longest sleep of the main thread beside three busy threads is 78 ms
    // instead of 143 ms.
    '--v8-pool-size=1',
    '--no-parallel-scavenge',
  ],
};
