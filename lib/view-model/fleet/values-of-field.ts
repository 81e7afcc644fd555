import { type FleetField, metadataPrefix } from '../../fleet/fleet-fields';
import { formatLocality } from '../../format/locality';
import type { FleetMember } from './fleet-member';
import { isOfFiles } from './is-of-files';

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
