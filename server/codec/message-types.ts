import protobuf from 'protobufjs';
import { LazyRoot } from './lazy-root';

/** All message types below a namespace, nested ones included; of a lazy root those that are made. */
export function* messageTypesBelow(namespace: protobuf.NamespaceBase): Iterable<protobuf.Type> {
  for (const nested of namespace.nestedArray) {
    if (nested instanceof protobuf.Type) yield nested;
    if (nested instanceof protobuf.Namespace || nested instanceof protobuf.Type)
      yield* messageTypesBelow(nested);
  }
}

/** What has exactly this full name; protobufjs's own lookup also takes what has the same last words. */
export function findExactly(root: protobuf.Root, name: string): protobuf.ReflectionObject | undefined {
  if (root instanceof LazyRoot) root.make(name);
  let found: protobuf.ReflectionObject = root;
  for (const part of name.split('.')) {
    const next =
      found instanceof protobuf.Namespace || found instanceof protobuf.Type ? found.get(part) : null;
    if (next === null) return undefined;
    found = next;
  }
  return found;
}
