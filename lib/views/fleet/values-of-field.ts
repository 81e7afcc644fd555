import { type FleetField, fleetFields, metadataPrefix } from '../../fleet/fleet-fields';
import { formatLocality } from '../../format/locality';
import { isImportedClient } from '../client/is-imported-client';
import type { FleetMember } from './fleet-member';

/** Returns the values of a field; empty if none is reported. */
export function valuesOfField({ summary, metadata }: FleetMember, field: FleetField): readonly string[] {
  const { cluster, locality, userAgent: agent, scope, worst } = summary;
  const { region, zone, subZone: subzone } = locality ?? {};
  switch (field) {
    case 'cluster':
    case 'region':
    case 'zone':
    case 'subzone':
    case 'agent':
    case 'scope':
    case 'worst':
      return [{ cluster, region, zone, subzone, agent, scope, worst }[field] ?? ''].filter(Boolean);
    case 'locality':
      return locality === null ? [] : [formatLocality(locality)];
    case 'source':
      return summary.reports.map(({ sourceId }) => sourceId);
    case 'fresh':
      return [isImportedClient(summary) ? 'file' : summary.freshness];
    default: {
      const key = field.slice(metadataPrefix.length);
      return metadata.filter(([name]) => name === key).map(([, value]) => value);
    }
  }
}

export interface FieldValue {
  readonly field: FleetField;
  readonly value: string;
  readonly key: string;
}

/** Clients are immutable, and most are the same at the next question. */
const fieldsKept = new WeakMap<FleetMember, readonly FieldValue[]>();

/** Lists the node's fields and metadata, each value once. */
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

/** Fields that other fields contain, or that do not describe the node. */
const notOfNode: ReadonlySet<FleetField> = new Set(['locality', 'fresh', 'worst']);
const nodeFields = (Object.keys(fleetFields) as FleetField[]).filter((field) => !notOfNode.has(field));
