import protobuf from 'protobufjs';
import { LazyRoot } from './lazy-root';

/** Yields all message types below a namespace, including nested ones, but only the built ones of a lazy root. */
export function* messageTypesBelow(namespace: protobuf.NamespaceBase): Iterable<protobuf.Type> {
  for (const nested of namespace.nestedArray) {
    if (nested instanceof protobuf.Type) yield nested;
    if (nested instanceof protobuf.Namespace || nested instanceof protobuf.Type)
      yield* messageTypesBelow(nested);
  }
}

/** Finds an object by its full name. protobufjs's own lookup also matches the last parts of a name. */
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
