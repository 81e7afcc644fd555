import { formatLocality } from '../../format/locality';
import type { FleetMember } from './fleet-member';
import { isOfFiles } from './is-of-files';

/** What a client is known by besides its name, with what it means; any key of the node's metadata is one, too. */
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
  worst: 'the worst status of its resources',
} as const;
export type FleetField = keyof typeof fleetFields | `meta.${string}`;

export const metadataPrefix = 'meta.';

export function isFleetField(text: string): text is FleetField {
  return Object.hasOwn(fleetFields, text) || (text.startsWith(metadataPrefix) && text.length > 5);
}

/** Empty where it is not reported. */
export function valuesOfField({ summary, metadata }: FleetMember, field: FleetField): readonly string[] {
  const { locality } = summary;
  switch (field) {
    case 'cluster':
      return reported(summary.cluster);
    case 'region':
      return reported(locality?.region);
    case 'zone':
      return reported(locality?.zone);
    case 'subzone':
      return reported(locality?.subZone);
    case 'locality':
      return locality === null ? [] : [formatLocality(locality)];
    case 'agent':
      return reported(summary.userAgent);
    case 'source':
      return summary.reports.map(({ sourceId }) => sourceId);
    case 'scope':
      return reported(summary.scope);
    case 'fresh':
      return [isOfFiles(summary) ? 'file' : summary.freshness];
    case 'worst':
      return reported(summary.worst);
    default: {
      const key = field.slice(metadataPrefix.length);
      return metadata.filter(([name]) => name === key).map(([, value]) => value);
    }
  }
}

function reported(text: string | null | undefined): readonly string[] {
  return text === null || text === undefined || text === '' ? [] : [text];
}
