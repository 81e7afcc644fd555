import type { Observation } from '@/lib/observation/observation';
import { emissionOf } from './recorder-emissions';

/** Batch `n` of a collector: 1 to 40 observations, or so many that they are several payloads. The times number them. */
export function crashBatch(collector: string, n: number): Observation[] {
  const count = n % 7 === 6 ? 500 : 1 + (n % 40);
  return Array.from(
    { length: count },
    (_, index) => emissionOf(n * 1_000 + index, null, collector, `cluster-${index}`).observation,
  );
}
