import { formatCount } from './count';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** Round durations for time steps, in milliseconds. */
export const roundDurationsMs: readonly number[] = [
  ...[second, 2 * second, 5 * second, 10 * second, 15 * second, 30 * second],
  ...[minute, 2 * minute, 5 * minute, 10 * minute, 15 * minute, 30 * minute],
  ...[hour, 2 * hour, 3 * hour, 6 * hour, 12 * hour, 24 * hour, 7 * 24 * hour],
];

/** "0.4 ms", "12 ms", "1.2 s", "90 s", "5 min", "10 h", "330 d". */
export function formatDuration(durationMs: number): string {
  if (durationMs < 1) return `${durationMs.toFixed(1)} ms`;
  if (durationMs < 1_000) return `${Math.round(durationMs)} ms`;
  if (durationMs < 10_000) return `${trimZero((durationMs / 1_000).toFixed(1))} s`;
  if (durationMs < 120_000) return `${Math.round(durationMs / 1_000)} s`;
  if (durationMs < 7_200_000) return `${Math.round(durationMs / 60_000)} min`;
  if (durationMs < 48 * hour) return `${Math.round(durationMs / hour)} h`;
  return `${formatCount(Math.round(durationMs / (24 * hour)))} d`;
}

function trimZero(text: string): string {
  return text.endsWith('.0') ? text.slice(0, -2) : text;
}

/** "12 ms"; "0.4 ms to 5 s" for a range; "not reached" for null. */
export function formatSpan(
  span: { readonly fromMs: number; readonly toMs: number } | null | undefined,
): string {
  if (span == null) return 'not reached';
  const [from, to] = [formatAfter(span.fromMs), formatAfter(span.toMs)];
  return from === to ? to : `${from} to ${to}`;
}

function formatAfter(afterMs: number): string {
  return afterMs < 1 ? '< 1 ms' : formatDuration(afterMs);
}
