import type { Source } from '@/lib/api/schema';

/** Stable over restarts. `variant` distinguishes sources of one target, as in "?transport=delta-ads". */
export function sourceIdOf(kind: Source['kind'], target: string, variant = ''): string {
  return `${kind}:${target}${variant}`;
}
