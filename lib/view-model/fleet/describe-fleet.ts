import { itemsPerStep, type Steps } from '../../steps/steps';
import { compareTypeUrls } from '../../xds/resource-type';
import { countMember, type FleetCounts, noCounts } from './build-fleet-view';
import type { FleetMember } from './fleet-member';

const metadataKeysTold = 100;

/** What is known of all clients, whatever is asked. */
export interface FleetDescription {
  readonly counts: FleetCounts;
  /** In their one order. */
  readonly typeUrls: readonly string[];
  /** The most frequent ones first. */
  readonly metadataKeys: readonly { readonly key: string; readonly clients: number }[];
}

export function* describeFleet(members: readonly FleetMember[]): Steps<FleetDescription> {
  const counts = noCounts();
  const typeUrls = new Set<string>();
  const keys = new Map<string, number>();
  for (const [index, member] of members.entries()) {
    countMember(counts, member);
    for (const { typeUrl } of member.summary.types) typeUrls.add(typeUrl);
    // A list has its key once for each element.
    for (const [at, [key]] of member.metadata.entries()) {
      if (member.metadata[at - 1]?.[0] !== key) keys.set(key, (keys.get(key) ?? 0) + 1);
    }
    if (index % itemsPerStep === 0) yield;
  }
  return {
    counts,
    typeUrls: [...typeUrls].sort(compareTypeUrls),
    metadataKeys: [...keys]
      .map(([key, clients]) => ({ key, clients }))
      .sort((a, b) => b.clients - a.clients || (a.key < b.key ? -1 : 1))
      .slice(0, metadataKeysTold),
  };
}
