import { getPriority, setPriority } from 'node:os';

/**
 * Lowers the priority of the calling thread below those that serve pages and relay streams. By POSIX a process has one
 * nice value, but on Linux each thread has its own, and 0 is the calling thread (setpriority(2), NOTES). On other
 * systems nothing is changed, because the whole process would be slowed down.
 */
export function lowerPriority(by = 5): void {
  if (process.platform === 'linux') setPriority(0, Math.min(getPriority(0) + by, 19));
}
