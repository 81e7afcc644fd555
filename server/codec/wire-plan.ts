import protobuf from 'protobufjs';
import { findMessageType, typesVersion } from './root';
import { findPair, isHexText, isNamedTextMap, isSensitiveField, typeOfField } from './sensitive-types';

/** The expected wire format of a field, and what must be checked in its value. */
export const fieldKind = {
  /** Undeclared field numbers, which may have any wire type except group. */
  unknown: 0,
  /** The resource is not plain if it has the field. */
  notPlain: 1,
  varint: 2,
  fixed32: 3,
  fixed64: 4,
  packedVarint: 5,
  packedFixed32: 6,
  packedFixed64: 7,
  bytes: 8,
  /** A string, which must be UTF-8. */
  text: 9,
  /** A string that can name its sibling value as a secret. */
  nameText: 10,
  message: 11,
  any: 12,
} as const;

/** A message type as a table by field number. */
export interface WirePlan {
  readonly kinds: Uint8Array;
  /** The plans of message fields, including entries of maps. */
  readonly inner: readonly (WirePlan | undefined)[];
}

/** Larger numbers have tags of more than two bytes. */
export const mostFieldNumber = 2047;

const anyName = '.google.protobuf.Any';
/** The type that these Structs represent marks their secrets. */
const typedStructs = new Set(['.xds.type.v3.TypedStruct', '.udpa.type.v1.TypedStruct']);
const struct = '.google.protobuf.Struct';
const structValue = '.google.protobuf.Value';

let plans = new Map<protobuf.Type, WirePlan | undefined>();
let byTypeUrl = new Map<string, WirePlan | undefined>();
let madeOf = -1;

/** Returns undefined if the type is unknown or has no plan. */
export function findWirePlan(typeUrl: string): WirePlan | undefined {
  forgetOldTypes();
  if (byTypeUrl.has(typeUrl)) return byTypeUrl.get(typeUrl);
  const type = findMessageType(typeUrl);
  // Unknown names are not cached, because peers can send any number of them.
  if (type === undefined) return undefined;
  const plan = wirePlanOf(type);
  byTypeUrl.set(typeUrl, plan);
  return plan;
}

/** Builds the plan of a type once; returns undefined for a type that a table cannot describe. */
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
  // The plan is set before its fields are planned, because types can be recursive.
  plans.set(type, plan);
  for (const field of fieldsArray) {
    kinds[field.id] = kindOf(field);
    if (kinds[field.id] !== fieldKind.message) continue;
    inner[field.id] = field instanceof protobuf.MapField ? entryPlan(field, field.keyType) : innerPlan(field);
    if (inner[field.id] === undefined) kinds[field.id] = fieldKind.notPlain;
  }
  const pair = findPair(type);
  if (pair !== undefined) kinds[pair.name.id] = fieldKind.nameText;
  // The text can be the name in an entry such as {name: DB_PASSWORD, value: x}.
  if (fullName === structValue) kinds[3] = fieldKind.nameText;
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
