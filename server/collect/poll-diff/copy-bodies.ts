import type { Observation } from '@/lib/observation/observation';
import type { Body } from '../../observe';

/** The observations of a comparison of two reports. */
export type ConfigObservation = Extract<Observation, { kind: 'client-config-changed' | 'client-gone' }>;

/** Copies of the bodies that an observation names, because a view would keep the whole answer in memory. */
export function copyBodies(observation: ConfigObservation, bodies: ReadonlyMap<string, Body>): Body[] {
  if (observation.kind !== 'client-config-changed') return [];
  const copies = new Map<string, Body>();
  for (const { hash, errorState, otherVersions = [] } of observation.changed) {
    for (const wanted of [hash, errorState?.failedHash, ...otherVersions.map((other) => other.hash)]) {
      const body = wanted ? bodies.get(wanted) : undefined;
      if (body !== undefined && !copies.has(body.hash)) {
        copies.set(body.hash, { ...body, bytes: new Uint8Array(body.bytes) });
      }
    }
  }
  return [...copies.values()];
}
