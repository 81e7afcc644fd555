import { type FleetField, fleetFields, metadataPrefix } from '../../fleet/fleet-fields';
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

interface FieldValue {
  readonly field: FleetField;
  readonly value: string;
  /** Of both. */
  readonly key: string;
}

/** Of clients as they are: most are the same when somebody asks again. */
const fieldsKept = new WeakMap<FleetMember, readonly FieldValue[]>();

/** Each value once, whatever a list says twice. */
export function fieldsOf(member: FleetMember): readonly FieldValue[] {
  const kept = fieldsKept.get(member);
  if (kept !== undefined) return kept;
  const fields: FieldValue[] = [];
  const add = (field: FleetField, value: string): number =>
    fields.push({ field, value, key: `${field}\u0000${value}` });
  for (const field of nodeFields) for (const value of valuesOfField(member, field)) add(field, value);
  for (const [index, [key, value]] of member.metadata.entries()) {
    const isTwice = member.metadata.findIndex((each) => each[0] === key && each[1] === value) < index;
    if (!isTwice) add(`${metadataPrefix}${key}`, value);
  }
  fieldsKept.set(member, fields);
  return fields;
}

/** Reports a node apart, or nothing of the node. */
const notOfNode: ReadonlySet<FleetField> = new Set(['locality', 'fresh', 'worst']);
const nodeFields = (Object.keys(fleetFields) as FleetField[]).filter((field) => !notOfNode.has(field));
