import { formatDuration } from './duration';

/** "12 ms"; "0.4 ms to 5 s" where it is known only between when and when; "not reached". */
export function formatSpan(span: { readonly fromMs: number; readonly toMs: number } | null): string {
  if (span === null) return 'not reached';
  const [from, to] = [formatAfter(span.fromMs), formatAfter(span.toMs)];
  return from === to ? to : `${from} to ${to}`;
}

function formatAfter(afterMs: number): string {
  return afterMs < 1 ? '< 1 ms' : formatDuration(afterMs);
}
