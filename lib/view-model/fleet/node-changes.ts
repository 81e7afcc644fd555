import { formatLocality } from '../../format/locality';
import type { NodeInfo } from '../../observation/observation';
import { flattenMetadata } from './flatten-metadata';

/** A field of a node that has another value than it had. */
export interface NodeChange {
  /** As a filter names it: zone, agent, meta.version. */
  readonly field: string;
  readonly before: string;
  readonly after: string;
}

/** What became different between two words on one node; empty: nothing that names it. */
export function findNodeChanges(before: NodeInfo, after: NodeInfo): NodeChange[] {
  if (before === after) return [];
  const [left, right] = [fieldsOf(before), fieldsOf(after)];
  return [...new Set([...left.keys(), ...right.keys()])].flatMap((field) => {
    const change = { field, before: left.get(field) ?? '', after: right.get(field) ?? '' };
    return change.before === change.after ? [] : [change];
  });
}

function fieldsOf({
  cluster,
  locality,
  userAgentName,
  userAgentVersion,
  metadata,
}: NodeInfo): Map<string, string> {
  const fields = new Map([
    ['cluster', cluster],
    ['locality', locality === null ? '' : formatLocality(locality)],
    ['agent', `${userAgentName} ${userAgentVersion}`.trim()],
  ]);
  for (const [key, value] of flattenMetadata(metadata)) {
    const known = fields.get(`meta.${key}`);
    fields.set(`meta.${key}`, known === undefined ? value : `${known}, ${value}`);
  }
  return fields;
}

/** "meta.version was v1, is v2; cluster was not reported, is shop". */
export function describeNodeChanges(changes: readonly NodeChange[]): string {
  return changes
    .map(
      ({ field, before, after }) =>
        `${field} was ${before || 'not reported'}, is ${after || 'not reported any longer'}`,
    )
    .join('; ');
}
