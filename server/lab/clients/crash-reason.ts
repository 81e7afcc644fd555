/** Number of bytes of stderr that are kept. */
export const stderrTailLength = 4096;

/**
 * Returns the line of stderr that states why a process ended: the last line that looks like an error ("SyntaxError:
 * ...", "ImportError: ..."), or else the last line that is not empty. Empty if nothing was written.
 */
export function findCrashReason(stderr: string): string {
  const lines = stderr
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^Node\.js v\d/.test(line));
  return lines.findLast((line) => /^(Uncaught )?\w*(Error|Exception)\b.*:/.test(line)) ?? lines.at(-1) ?? '';
}
