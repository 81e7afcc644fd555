/** How much of stderr is kept. */
export const stderrTailLength = 4096;

/**
 * The line of stderr that reports why a process ended: the last one that looks like an error ("SyntaxError: ...",
 * "ImportError: ..."), else the last one that says anything. Empty when nothing was written.
 */
export function findCrashReason(stderr: string): string {
  const lines = stderr
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^Node\.js v\d/.test(line));
  return lines.findLast((line) => /^(Uncaught )?\w*(Error|Exception)\b.*:/.test(line)) ?? lines.at(-1) ?? '';
}
