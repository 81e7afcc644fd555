import { getPriority, setPriority } from 'node:os';

/**
 * On a busy machine the thread that calls this comes after those that are waited for: who serves pages, who relays.
 * setpriority(2), NOTES: by POSIX a process has one nice value, on Linux each thread has its own, and 0 is the thread
 * that calls. Elsewhere nothing is changed: the whole process would step back.
 */
export function giveWay(by = 5): void {
  if (process.platform === 'linux') setPriority(0, Math.min(getPriority(0) + by, 19));
}
