import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';
import protobuf from 'protobufjs';
import type { LazyRoot } from './lazy-root';

/** A message or enum type of a user's descriptor set, as plain data that can be posted to a thread. */
export interface UserType {
  /** Full name without a leading dot. Nested types are included. */
  readonly name: string;
  /** The descriptor as protobufjs writes it. */
  readonly json: protobuf.IType | protobuf.IEnum;
}

export interface SkippedType {
  readonly name: string;
  readonly reason: string;
}

export type CheckedDescriptorSet =
  | {
      readonly ok: true;
      /** Names of the .proto files in it. */
      readonly files: readonly string[];
      /** Types that neither xdscope nor another set declares. */
      readonly types: readonly UserType[];
      /** Types that xdscope or another set already declares. */
      readonly skipped: readonly SkippedType[];
    }
  | { readonly ok: false; readonly reason: string };

const environmentKey = 'xdscope.userTypes';

interface Added {
  readonly object: protobuf.ReflectionObject;
  readonly type: UserType;
}

/** Types that were added to the root in this thread, to be removed by the next replacement. */
const added: Added[] = [];

/** Returns the types that the parent thread published with publishToNewThreads(). */
export function userTypesOfThread(): readonly UserType[] {
  const given: unknown = getEnvironmentData(environmentKey);
  return Array.isArray(given) ? given : [];
}

/** Threads that this thread starts from now on read these types with userTypesOfThread(). */
export function publishToNewThreads(types: readonly UserType[]): void {
  // The parameter is typed for data that can be posted, which plain JSON is.
  setEnvironmentData(environmentKey, types as never);
}

/** Replaces the types that were added before. A type whose name is declared already is skipped. Throws if a type is invalid. */
export function replaceUserTypes(root: LazyRoot, types: readonly UserType[]): void {
  for (const { object } of added.splice(0)) object.parent?.remove(object);
  // A partial type name can resolve to any type.
  if (types.some(({ json }) => refersLoosely(json))) root.makeAll();
  for (const type of types) {
    const { name, json } = type;
    const dot = name.lastIndexOf('.');
    const last = name.slice(dot + 1);
    root.make(name);
    const parent = dot === -1 ? root : root.define(name.slice(0, dot));
    if (parent.get(last) !== null) continue;
    const object = 'values' in json ? protobuf.Enum.fromJSON(last, json) : protobuf.Type.fromJSON(last, json);
    parent.add(object);
    added.push({ object, type });
  }
  // No type refers to a removed one, since each set is checked against the sets that stay.
  root.resolveAll();
}

/** Adds the types, sets up their decoders, and restores the previous types. Throws if a type is invalid. */
export function rehearseUserTypes(root: LazyRoot, types: readonly UserType[]): void {
  const before = added.map(({ type }) => type);
  try {
    replaceUserTypes(root, types);
    for (const { object } of added) if (object instanceof protobuf.Type) setUp(object);
  } finally {
    replaceUserTypes(root, before);
  }
}

/** Returns whether a field has a partial type name. */
function refersLoosely(json: object): boolean {
  const type = 'type' in json && typeof json.type === 'string' ? json.type : '';
  if (type !== '' && !type.startsWith('.') && !Object.hasOwn(protobuf.types.basic, type)) return true;
  return (['fields', 'nested'] as const).some((key) => {
    const inner: unknown = Reflect.get(json, key);
    return typeof inner === 'object' && inner !== null && Object.values(inner).some(refersLoosely);
  });
}

function setUp(type: protobuf.Type): void {
  type.setup();
  for (const nested of type.nestedArray) if (nested instanceof protobuf.Type) setUp(nested);
}
