import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';
import protobuf from 'protobufjs';
import type { LazyRoot } from './lazy-root';
import type { UserType } from './user-type';

const environmentKey = 'xdscope.userTypes';

interface Added {
  readonly object: protobuf.ReflectionObject;
  readonly type: UserType;
}

/** Of this thread: what was added to the root, to be taken away again. */
const added: Added[] = [];

/** What this thread was given by the one that started it. Threads that are started from here on are given the same. */
export function userTypesOfThread(): readonly UserType[] {
  const given: unknown = getEnvironmentData(environmentKey);
  return Array.isArray(given) ? given : [];
}

export function giveToNewThreads(types: readonly UserType[]): void {
  // Typed for what a channel can carry, which plain data is.
  setEnvironmentData(environmentKey, types as never);
}

/** Puts these in the place of those before. A name that is taken stays with who has it. Throws on what is unsound. */
export function replaceUserTypes(root: LazyRoot, types: readonly UserType[]): void {
  for (const { object } of added.splice(0)) object.parent?.remove(object);
  // A name that is not reported in full is looked for among all of them.
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
  // What refers to what was taken away cannot be: a set is checked against those that stay.
  root.resolveAll();
}

/** Can they be put in, and be made to decode? The thread's own types are there again afterwards. Throws what is wrong. */
export function rehearseUserTypes(root: LazyRoot, types: readonly UserType[]): void {
  const before = added.map(({ type }) => type);
  try {
    replaceUserTypes(root, types);
    for (const { object } of added) if (object instanceof protobuf.Type) setUp(object);
  } finally {
    replaceUserTypes(root, before);
  }
}

/** Some field's type is not reported in full. */
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
