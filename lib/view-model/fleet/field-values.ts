import { type FleetField, fleetFields, metadataPrefix } from '../../fleet/fleet-fields';
import type { FleetMember } from './fleet-member';
import { valuesOfField } from './values-of-field';

export interface FieldValue {
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
