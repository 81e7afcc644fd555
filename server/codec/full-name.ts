import type protobuf from 'protobufjs';

const names = new WeakMap<protobuf.ReflectionObject, string>();

/** As in ".envoy.config.core.v3.HeaderValue". protobufjs composes it of all parents, each time that it is read. */
export function fullNameOf(object: protobuf.ReflectionObject): string {
  const known = names.get(object);
  if (known !== undefined) return known;
  const name = object.fullName;
  names.set(object, name);
  return name;
}
