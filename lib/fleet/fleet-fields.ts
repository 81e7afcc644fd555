/** The fields by which clients are filtered and grouped, with their meanings. Keys of node metadata are fields as well. */
export const fleetFields = {
  cluster: 'the node’s cluster',
  region: 'the locality’s region',
  zone: 'the locality’s zone',
  subzone: 'the locality’s sub-zone',
  locality: 'region / zone / sub-zone',
  agent: 'the user agent',
  source: 'the id of a source that reports the client',
  scope: 'the client scope',
  fresh: 'live, stale, gone or file',
  worst: 'the worst state of its resources',
} as const;

export type FleetField = keyof typeof fleetFields | `meta.${string}`;

export const metadataPrefix = 'meta.';

export function isFleetField(text: string): text is FleetField {
  return Object.hasOwn(fleetFields, text) || (text.startsWith(metadataPrefix) && text.length > 5);
}
