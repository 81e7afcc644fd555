import { readFile } from 'node:fs/promises';
import type { Clock } from '../../observe';

const pollMs = 200;
const bytesOfKb = 1024;

/** The memory that a twin may use: more is not needed by any request, and less than what the machine has. */
export const mostTwinBytes = 500 * 1024 * 1024;

/**
 * Calls back once with the bytes of physical memory (resident set size, VmRSS) of the process and of all that it started, when they
 * are more than the limit. Returns what ends the watch. Only Linux has /proc: elsewhere nothing is watched.
 */
export function watchMemory(
  pid: number,
  { most, clock, onExceeded }: { most: number; clock: Clock; onExceeded: (bytes: number) => void },
): () => void {
  let isEnded = false;
  let timer: ReturnType<Clock['setTimeout']> | undefined;
  const look = async (): Promise<void> => {
    const bytes = await readMemory(pid);
    if (isEnded) return;
    if (bytes > most) onExceeded(bytes);
    else timer = clock.setTimeout(() => void look(), pollMs);
  };
  void look();
  return () => {
    isEnded = true;
    timer?.cancel();
  };
}

/** 0 if the process has ended. */
async function readMemory(pid: number): Promise<number> {
  const [status, children] = await Promise.all([
    readProc(`/proc/${pid}/status`),
    readProc(`/proc/${pid}/task/${pid}/children`),
  ]);
  const own = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * bytesOfKb;
  const ofChildren = await Promise.all(
    (children.match(/\d+/g) ?? []).map((child) => readMemory(Number(child))),
  );
  return ofChildren.reduce((sum, bytes) => sum + bytes, own);
}

async function readProc(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch {
    // The process has ended, or the system has no /proc.
    return '';
  }
}
