/**
 * The settings that the server's process is started with: glibc reads its variables, and V8 most of its flags, only
 * when a process starts. Each setting states the peak memory of `npm run bench -- sotw` (aim: 400 MB) with it and
 * without it; decision 46 has the measurements, and the settings that were removed because no figure falls with them.
 */
export const processSettings = {
  env: {
    // Threads share one arena of malloc, and a freed buffer of 64 kB, as Node reads sockets with, is returned to the system
    // at once: 435 MB instead of 519 MB. With 128 kB instead, 318 MB instead of 207 MB stay resident after an admin
    // interface that sends without end.
    MALLOC_ARENA_MAX: '1',
    MALLOC_MMAP_THRESHOLD_: '65536',
  },
  flags: [
    // Threads that serve no pages call gc() after large responses, because V8 does not collect garbage while a thread
    // waits: 435 MB instead of 577 MB.
    '--expose-gc',
    // V8 collects garbage when a heap has grown by half, instead of by as much as is live: 383 MB instead of 435 MB. With 10
    // instead of 50, a restart with 100,000 clients takes 1.5 times as long.
    '--heap-growing-percent=50',
  ],
};
