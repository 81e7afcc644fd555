import { formatLocality } from '../../format/locality';
import type { NodeInfo } from '../../observation/observation';
import { flattenMetadata } from './flatten-metadata';

export interface NodeChange {
  /** The key of the field in a filter: zone, agent, meta.version. */
  readonly field: string;
  readonly before: string;
  readonly after: string;
}

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
  const texts = changes.map(({ field, before, after }) => {
    return `${field} was ${before || 'not reported'}, is ${after || 'not reported any longer'}`;
  });
  return texts.join('; ');
}
