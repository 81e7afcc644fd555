import protobuf from 'protobufjs';

/** All message types below a namespace, nested ones included. */
export function* messageTypesBelow(namespace: protobuf.NamespaceBase): Iterable<protobuf.Type> {
  for (const nested of namespace.nestedArray) {
    if (nested instanceof protobuf.Type) yield nested;
    if (nested instanceof protobuf.Namespace || nested instanceof protobuf.Type)
      yield* messageTypesBelow(nested);
  }
}
