/** The parts of a cluster that have shares of its requests. */
export const splitParts = ['locality', 'endpoint'] as const;
export type SplitPart = (typeof splitParts)[number];

/** Returns the part for a grouping: endpoints if load is grouped so, and otherwise localities. */
export function splitPartOf(grouping: string): SplitPart {
  return grouping === 'endpoint' ? 'endpoint' : 'locality';
}
