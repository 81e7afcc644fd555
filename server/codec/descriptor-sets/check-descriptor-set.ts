import protobuf from 'protobufjs';
import descriptor from 'protobufjs/ext/descriptor.js';
import { messageOf } from '@/lib/format/message-of';
import { findExactly } from '../message-types';
import { assertUserTypes, descriptorRoot } from '../root';
import type { CheckedDescriptorSet, SkippedType, UserType } from '../user-types';
import { findMissingTypes, type NamedSet, stubFile } from './find-missing-types';

const mostBytes = 16 * 1024 * 1024;
/** Every thread builds all types. A set of all Google APIs has about 20,000. */
const mostTypes = 5_000;

/**
 * Reads a FileDescriptorSet of `protoc --descriptor_set_out` or `buf build`. It skips types that xdscope ships, and
 * types of other sets (`others`), which this thread must have added. Never throws.
 */
export function checkDescriptorSet(
  bytes: Uint8Array,
  others: readonly UserType[] = [],
): CheckedDescriptorSet {
  if (bytes.length > mostBytes) {
    return { ok: false, reason: `expected at most ${mostBytes} bytes, got ${bytes.length}` };
  }
  const set = decodeSet(bytes);
  if (typeof set === 'string') return { ok: false, reason: set };
  const badName = findBadName(set.file);
  if (badName !== undefined) return { ok: false, reason: badName };
  const root = descriptorRoot();
  const missing = findMissingTypes(set, (name) => isType(findExactly(root, name)));
  if (missing !== undefined) return { ok: false, reason: missing };
  let reported: protobuf.Root;
  try {
    reported = protobuf.Root.fromDescriptor(withStubs(set) as never);
    markSensitiveFields(set, reported);
  } catch (error) {
    return { ok: false, reason: `expected a sound set, got: ${messageOf(error)}` };
  }
  const types: UserType[] = [];
  const skipped: SkippedType[] = [];
  for (const type of topLevelTypes(set, reported)) {
    const name = type.fullName.slice(1);
    const known = findExactly(root, name);
    if (known !== undefined) {
      const isSame = isSameType(known, type);
      const reason = isSame ? 'it already exists' : 'it already exists with other fields; that one is kept';
      skipped.push({ name, reason });
    } else types.push({ name, json: type.toJSON() });
  }
  if (types.length > mostTypes) {
    return { ok: false, reason: `expected at most ${mostTypes} new types, got ${types.length}` };
  }
  try {
    assertUserTypes([...others, ...types]);
  } catch (error) {
    return { ok: false, reason: `expected a sound set, got: ${messageOf(error)}` };
  }
  const files = set.file.map(({ name }) => name ?? '');
  return { ok: true, files, types, skipped };
}

/** Returns the reason if the bytes are not a set. */
function decodeSet(bytes: Uint8Array): NamedSet | string {
  const expected = `expected a FileDescriptorSet (protoc --descriptor_set_out, buf build), got ${bytes.length} bytes`;
  try {
    const reader = protobuf.Reader.create(bytes);
    // Annotations are extensions, which descriptor.proto does not declare.
    reader.discardUnknown = false;
    const set = descriptor.FileDescriptorSet.decode(reader) as unknown as NamedSet;
    const isSound =
      set.file.length > 0 &&
      set.file.every((file) => typeof file.name === 'string' && file.name.endsWith('.proto'));
    return isSound ? set : `${expected} that name no .proto file`;
  } catch (error) {
    return `${expected} that are none: ${messageOf(error)}`;
  }
}

/** protobufjs requires every referenced type, so the types of xdscope are added as stubs. */
function withStubs(set: NamedSet): object {
  return { ...set, file: [...set.file, ...stubFile(set)] };
}

function* topLevelTypes(set: NamedSet, root: protobuf.Root): Iterable<protobuf.Type | protobuf.Enum> {
  const seen = new Set<string>();
  for (const { package: scope = '', messageType, enumType } of set.file) {
    for (const { name = '' } of [...(messageType ?? []), ...(enumType ?? [])]) {
      const fullName = scope === '' ? name : `${scope}.${name}`;
      if (seen.has(fullName)) continue;
      seen.add(fullName);
      const found = findExactly(root, fullName);
      if (isType(found)) yield found;
    }
  }
}

function isType(found: protobuf.ReflectionObject | undefined): found is protobuf.Type | protobuf.Enum {
  return found instanceof protobuf.Type || found instanceof protobuf.Enum;
}

/** Tag of `udpa.annotations.sensitive` (76569463, a bool) in a field's options, with the value true. */
const sensitiveTag = Buffer.from(
  protobuf.Writer.create()
    .uint32(76569463 * 8)
    .bool(true)
    .finish(),
);

interface MarkedField {
  readonly name?: string;
  readonly number?: number;
  readonly options?: { readonly $unknowns?: readonly Uint8Array[] } | null;
}

interface MarkedMessage {
  readonly name?: string;
  readonly field?: readonly MarkedField[];
  readonly nestedType?: readonly MarkedMessage[];
}

function markSensitiveFields(set: NamedSet, root: protobuf.Root): void {
  const mark = (message: MarkedMessage, scope: string): void => {
    const fullName = `${scope}.${message.name ?? ''}`;
    const type = findExactly(root, fullName.slice(1));
    for (const { number, options } of message.field ?? []) {
      const isSensitive = options?.$unknowns?.some((raw) => sensitiveTag.equals(raw)) ?? false;
      if (!isSensitive || !(type instanceof protobuf.Type) || number === undefined) continue;
      type.fieldsById[number]?.setOption('(udpa.annotations.sensitive)', true);
    }
    for (const nested of message.nestedType ?? []) mark(nested, fullName);
  };
  for (const { package: scope = '', messageType } of set.file) {
    for (const message of messageType ?? []) mark(message as MarkedMessage, scope === '' ? '' : `.${scope}`);
  }
}

/** Returns whether both decode the same bytes to the same fields or values; nested types are not compared. */
function isSameType(a: protobuf.ReflectionObject, b: protobuf.ReflectionObject): boolean {
  if (a instanceof protobuf.Enum && b instanceof protobuf.Enum) {
    const names = Object.entries(a.values);
    return (
      names.length === Object.keys(b.values).length &&
      names.every(([name, number]) => b.values[name] === number)
    );
  }
  if (!(a instanceof protobuf.Type) || !(b instanceof protobuf.Type)) return false;
  return (
    a.fieldsArray.length === b.fieldsArray.length &&
    a.fieldsArray.every((field) => {
      const other = b.fieldsById[field.id];
      return other !== undefined && signatureOf(field) === signatureOf(other);
    })
  );
}

/** Only the last part of a type name is compared, since the file may have a partial name. */
function signatureOf(field: protobuf.Field): string {
  const key = field instanceof protobuf.MapField ? field.keyType : '';
  return [field.protoName, field.repeated, key, field.type.split('.').at(-1)].join(' ');
}

interface Named {
  readonly name?: string;
  readonly jsonName?: string;
  readonly package?: string;
  readonly messageType?: readonly Named[];
  readonly enumType?: readonly Named[];
  readonly nestedType?: readonly Named[];
  readonly field?: readonly Named[];
  readonly oneofDecl?: readonly Named[];
  readonly value?: readonly Named[];
}

const identifier = /^[A-Za-z_]\w{0,199}$/;

/** The json_name of a field, which its author can choose freely within this pattern. */
const jsonName = /^[\w$@./:-]{1,200}$/;

/**
 * Returns a message for the first name that no compiler accepts, or undefined if all names are valid. Names become
 * properties of objects and parts of paths, so names that no compiler wrote must be rejected.
 */
function findBadName(files: readonly Named[]): string | undefined {
  for (const file of files) {
    const parts = file.package ? file.package.split('.') : [];
    const bad = parts.find((part) => !isTypeName(part)) ?? findBadIn(file);
    if (bad !== undefined)
      return `${file.name ?? '?'}: expected names as protobuf has them, got ${JSON.stringify(bad.slice(0, 80))}`;
  }
  return undefined;
}

function findBadIn({
  messageType = [],
  enumType = [],
  nestedType = [],
  field = [],
  oneofDecl = [],
  value = [],
}: Named): string | undefined {
  for (const each of [...messageType, ...enumType, ...nestedType]) {
    if (!isTypeName(each.name ?? '')) return each.name ?? '';
    const bad = findBadIn(each);
    if (bad !== undefined) return bad;
  }
  for (const { name = '' } of [...field, ...oneofDecl, ...value]) if (!isPropertyName(name)) return name;
  return field.find((each) => each.jsonName && !isJsonName(each.jsonName))?.jsonName;
}

/** Returns false for names of properties that every object has. */
function isTypeName(name: string): boolean {
  return identifier.test(name) && !(name in {});
}

function isPropertyName(name: string): boolean {
  return identifier.test(name) && name !== '__proto__';
}

function isJsonName(name: string): boolean {
  return jsonName.test(name) && name !== '__proto__' && name !== '$unknowns';
}
