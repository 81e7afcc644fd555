import type protobuf from 'protobufjs';
import { messageNameOf } from '@/lib/xds/resource-type';
import { readConstraints } from '@/server/codec/constraints';
import { findMessageType } from '@/server/codec/root';
import { type Json, mutate } from '../../../lib/validate/cases/mutation';
import { limitsOf, type OddValue, oddValuesOf } from './odd-values';

export interface Variant {
  /** The changed field and what is odd about it, as in "loadAssignment.endpoints.0.priority: 129". */
  readonly label: string;
  readonly resource: Json;
}

/**
 * Every change of one field of a valid resource: each field that is set is missing, duplicated, empty or of another type,
 * and each field with limits in its proto, set or not, is at and beyond them.
 */
export function deriveVariants(typeUrl: string, base: Json): Variant[] {
  const type = findMessageType(messageNameOf(typeUrl));
  if (type === undefined) throw new Error(`no proto declares ${typeUrl}`);
  const variants: Variant[] = [];
  walk(type, base, [], (path, others, [label, value]) => {
    const at = path.join('.');
    const parent = path.slice(0, -1);
    const removed = others.map((name) => ({ at: [...parent, name].join('.'), value: undefined }));
    variants.push({ label: `${at}: ${label}`, resource: mutate(base, ...removed, { at, value }) });
  });
  return variants;
}

/** `others`: the members of the same oneof that have to be absent. */
type Visit = (path: readonly string[], others: readonly string[], value: OddValue) => void;

function walk(type: protobuf.Type, message: Json, path: readonly string[], visit: Visit): void {
  const fullName = type.fullName.slice(1);
  const known = readConstraints().messages[fullName];
  for (const field of type.fieldsArray) {
    const name = jsonNameOf(field);
    const here = [...path, name];
    const value = message[name];
    const siblings = (field.partOf?.fieldsArray ?? []).map(jsonNameOf);
    const others = siblings.filter((each) => each !== name && message[each] !== undefined);
    const constraints = known?.fields[name];
    if (constraints !== undefined) for (const limit of limitsOf(constraints)) visit(here, others, limit);
    if (value === undefined) {
      const isMessage = constraints?.message !== undefined && constraints.isAny !== true;
      if (isMessage && !constraints.message?.startsWith('google.protobuf.')) {
        if (constraints.shape === 'list') visit(here, others, ['an empty item', [{}]]);
        else if (constraints.shape !== 'map') visit(here, others, ['an empty message', {}]);
      }
      continue;
    }
    for (const odd of oddValuesOf(field, value)) visit(here, others, odd);
    descend(field, value, here, visit);
  }
}

/** Into the message, the first item of a list, or what an Any contains. */
function descend(field: protobuf.Field, value: unknown, path: readonly string[], visit: Visit): void {
  if (field.map || field.resolvedType === null || !('fieldsArray' in field.resolvedType)) return;
  const [item, place] = Array.isArray(value) ? [value[0] as unknown, [...path, '0']] : [value, path];
  if (typeof item !== 'object' || item === null) return;
  const message = item as Json;
  const typeUrl = message['@type'];
  if (typeUrl === undefined) {
    if (!field.resolvedType.fullName.startsWith('.google.protobuf.'))
      walk(field.resolvedType, message, place, visit);
    return;
  }
  const inner = findMessageType(messageNameOf(String(typeUrl)));
  if (inner !== undefined) walk(inner, message, place, visit);
}

/** protobufjs has the name of the proto; JSON has lowerCamelCase. */
function jsonNameOf({ name }: protobuf.Field): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
