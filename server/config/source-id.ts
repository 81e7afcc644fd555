import type { Source } from '@/lib/api/schema';

/** Stable over restarts. `variant` reports apart how one target is asked, as in "?transport=delta-ads". */
export function sourceIdOf(kind: Source['kind'], target: string, variant = ''): string {
  return `${kind}:${target}${variant}`;
}
