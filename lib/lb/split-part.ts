/** The parts of a cluster that have shares of its requests. */
export const splitParts = ['locality', 'endpoint'] as const;
export type SplitPart = (typeof splitParts)[number];

/** By endpoint if load is grouped so, and otherwise by locality. */
export function splitPartOf(grouping: string): SplitPart {
  return grouping === 'endpoint' ? 'endpoint' : 'locality';
}
