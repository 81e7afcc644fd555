import type { Observation } from '@/lib/observation/observation';
import type { ResourceChanges } from '@/lib/observation/resource-state';
import type { Body, Emission } from '../../observe';

interface PartLimits {
  /** Limit of each list: changed rows, removed rows, resources of a response. */
  readonly rows: number;
  readonly bodyBytes: number;
}

/** Limits of a part, which the main thread handles within some milliseconds. */
export const partLimits: PartLimits = { rows: 500, bodyBytes: 512 * 1024 };

/**
 * Splits an emission into parts of bounded size, in order; most are one part and returned as they are. A body is in
 * the same part as the first row that names it, or in an earlier one. Lists without a limit of their own (the names of
 * a request, the removed names of a response) are in the first part.
 */
export function splitEmission(emission: Emission, limits: PartLimits = partLimits): Emission[] {
  const { observation } = emission;
  const groups = groupBodies(emission.bodies, limits);
  const parts: Omit<Emission, 'bodies'>[] = [...lists(observation, limits)].map((part) => ({
    observation: part,
  }));
  const of = Math.max(groups.length, parts.length);
  if (of <= 1) return [emission];
  const empty = withoutLists(observation);
  return Array.from({ length: of }, (_, index) => ({
    observation: {
      ...(parts[index]?.observation ?? empty),
      ...(index > 0 && withoutNames(observation)),
      part: { number: index + 1, of },
    },
    bodies: groups[index] ?? [],
  }));
}

function* lists(observation: Observation, { rows }: PartLimits): Generator<Observation> {
  if (observation.kind === 'response-received') {
    const { resources, ...rest } = observation;
    for (let from = 0; from < resources.length; from += rows) {
      const counted = from === 0 ? rest : { ...rest, unchangedResources: 0 };
      yield { ...counted, resources: resources.slice(from, from + rows) };
    }
  } else if ('changed' in observation) {
    const { changed, removed }: ResourceChanges = observation;
    if (changed.length + removed.length <= rows) {
      yield observation;
      return;
    }
    // The order does not matter, because no name is in both lists.
    for (let from = 0; from < removed.length; from += rows) {
      yield { ...observation, changed: [], removed: removed.slice(from, from + rows) };
    }
    for (let from = 0; from < changed.length; from += rows) {
      yield { ...observation, changed: changed.slice(from, from + rows), removed: [] };
    }
  }
}

/** The lists of names, which only the first part has. */
function withoutNames(observation: Observation): object {
  return {
    ...('resourceNames' in observation && { resourceNames: [] }),
    ...('unsubscribedNames' in observation && { unsubscribedNames: [] }),
    ...('removedNames' in observation && { removedNames: [] }),
  };
}

function withoutLists(observation: Observation): Observation {
  if (observation.kind === 'response-received') {
    return { ...observation, resources: [], unchangedResources: 0 };
  }
  return 'changed' in observation ? { ...observation, changed: [], removed: [] } : observation;
}

function groupBodies(bodies: readonly Body[], { rows, bodyBytes }: PartLimits): Body[][] {
  const groups: Body[][] = [];
  let group: Body[] = [];
  let sizeBytes = 0;
  for (const body of bodies) {
    if (group.length > 0 && (group.length >= rows || sizeBytes + body.bytes.length > bodyBytes)) {
      groups.push(group);
      group = [];
      sizeBytes = 0;
    }
    group.push(body);
    sizeBytes += body.bytes.length;
  }
  if (group.length > 0) groups.push(group);
  return groups;
}
