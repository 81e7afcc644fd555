import protobuf from 'protobufjs';
import { findMessageType, typesVersion } from './root';
import { isHexText, isNamedTextMap, isSensitiveField, typeOfField } from './sensitive-types';

/** What a field must be on the wire, and what is to be looked at in it. */
export const fieldKind = {
  /** Not of this type: any wire type but a group's. */
  unknown: 0,
  /** Whatever is in it: the resource is no longer plain. */
  notPlain: 1,
  varint: 2,
  fixed32: 3,
  fixed64: 4,
  packedVarint: 5,
  packedFixed32: 6,
  packedFixed64: 7,
  bytes: 8,
  /** A string: UTF-8. */
  text: 9,
  /** A string that may say that what stands beside it is a secret. */
  nameText: 10,
  message: 11,
  any: 12,
} as const;

/** One message type as a table, by field number. */
export interface WirePlan {
  readonly kinds: Uint8Array;
  /** Of fields that are messages; a map's entries are some. */
  readonly inner: readonly (WirePlan | undefined)[];
}

/** Numbers from 2048 on take tags of three bytes. */
export const mostFieldNumber = 2047;

const anyName = '.google.protobuf.Any';
/** JSON by another name: what is secret in it is reported by the type that it spells. */
const typedStructs = new Set(['.xds.type.v3.TypedStruct', '.udpa.type.v1.TypedStruct']);
const headerValue = '.envoy.config.core.v3.HeaderValue';
const struct = '.google.protobuf.Struct';

let plans = new Map<protobuf.Type, WirePlan | undefined>();
let byTypeUrl = new Map<string, WirePlan | undefined>();
let madeOf = -1;

/** undefined where the type is unknown, or no table says enough about it. */
export function findWirePlan(typeUrl: string): WirePlan | undefined {
  forgetOldTypes();
  if (byTypeUrl.has(typeUrl)) return byTypeUrl.get(typeUrl);
  const type = findMessageType(typeUrl);
  // Names that are none come from outside, and without end.
  if (type === undefined) return undefined;
  const plan = wirePlanOf(type);
  byTypeUrl.set(typeUrl, plan);
  return plan;
}

/** Made once for each type, with those that it is made of. */
export function wirePlanOf(type: protobuf.Type): WirePlan | undefined {
  forgetOldTypes();
  if (plans.has(type)) return plans.get(type);
  const { fieldsArray, fullName } = type;
  const highest = Math.max(0, ...fieldsArray.map(({ id }) => id));
  const isOdd = fullName === anyName || typedStructs.has(fullName) || highest > mostFieldNumber;
  if (isOdd || fieldsArray.some(({ required, delimited }) => required || delimited)) {
    plans.set(type, undefined);
    return undefined;
  }
  const kinds = new Uint8Array(highest + 1);
  const inner = new Array<WirePlan | undefined>(highest + 1);
  const plan = { kinds, inner };
  // Before its fields: types may hold themselves.
  plans.set(type, plan);
  for (const field of fieldsArray) {
    kinds[field.id] = kindOf(field);
    if (kinds[field.id] !== fieldKind.message) continue;
    inner[field.id] = field instanceof protobuf.MapField ? entryPlan(field, field.keyType) : innerPlan(field);
    if (inner[field.id] === undefined) kinds[field.id] = fieldKind.notPlain;
  }
  if (fullName === headerValue) kinds[1] = fieldKind.nameText;
  return plan;
}

function forgetOldTypes(): void {
  if (madeOf === typesVersion()) return;
  madeOf = typesVersion();
  plans = new Map();
  byTypeUrl = new Map();
}

function innerPlan(field: protobuf.Field): WirePlan | undefined {
  const type = typeOfField(field);
  return type === undefined ? undefined : wirePlanOf(type);
}

/** A map's entry is a message {key = 1, value = 2}. */
function entryPlan(field: protobuf.Field, keyType: string): WirePlan | undefined {
  const type = typeOfField(field);
  const isAny = type?.fullName === anyName;
  const value = type === undefined || isAny ? undefined : wirePlanOf(type);
  if (type !== undefined && !isAny && value === undefined) return undefined;
  const namesSecrets = isNamedTextMap(field) || field.parent?.fullName === struct;
  const keyKind = namesSecrets ? fieldKind.nameText : scalarKind(field, keyType);
  const valueKind =
    type === undefined ? scalarKind(field, field.type) : isAny ? fieldKind.any : fieldKind.message;
  return {
    kinds: Uint8Array.of(fieldKind.unknown, keyKind, valueKind),
    inner: [undefined, undefined, value],
  };
}

function kindOf(field: protobuf.Field): number {
  if (isSensitiveField(field) || isHexText(field)) return fieldKind.notPlain;
  if (field instanceof protobuf.MapField) return fieldKind.message;
  const type = typeOfField(field);
  if (type !== undefined) return type.fullName === anyName ? fieldKind.any : fieldKind.message;
  const kind = scalarKind(field, field.type);
  if (!field.repeated) return kind;
  if (kind === fieldKind.varint) return fieldKind.packedVarint;
  if (kind === fieldKind.fixed32) return fieldKind.packedFixed32;
  return kind === fieldKind.fixed64 ? fieldKind.packedFixed64 : kind;
}

function scalarKind(field: protobuf.Field, type: string): number {
  if (type === 'string') return fieldKind.text;
  if (type === 'bytes') return fieldKind.bytes;
  const wireType = field.resolvedType instanceof protobuf.Enum && type === field.type ? 0 : wireTypeOf(type);
  switch (wireType) {
    case 0:
      return fieldKind.varint;
    case 1:
      return fieldKind.fixed64;
    case 5:
      return fieldKind.fixed32;
    default:
      return fieldKind.notPlain;
  }
}

function wireTypeOf(type: string): number | undefined {
  const wireTypes: Readonly<Record<string, number>> = protobuf.types.basic;
  return wireTypes[type];
}
