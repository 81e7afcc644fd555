import protobuf from 'protobufjs';
import { messageType } from '@/server/codec/root';
import { seededRandom } from '@/server/lab/random';

/** Tag and value of one field; of wire type 2 with its length. */
export function wireField(number: number, wireType: number, value: Uint8Array): Buffer {
  const writer = protobuf.Writer.create().uint32(((number << 3) | wireType) >>> 0);
  if (wireType === 2) return Buffer.from(writer.bytes(value).finish());
  return Buffer.concat([writer.finish(), value]);
}

export function anyMessageBytes(typeUrl: string, value: Uint8Array): Buffer {
  return Buffer.concat([
    wireField(1, 2, Buffer.from(typeUrl)),
    ...(value.length > 0 ? [wireField(2, 2, value)] : []),
  ]);
}

const innerTypes = [
  'envoy.extensions.filters.http.router.v3.Router',
  'envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext',
  'envoy.config.core.v3.Locality',
  'google.protobuf.Struct',
  'acme.Unknown',
];

/**
 * A random message of a type with the output of a usual encoder (fields in order of number, no defaults, one entry a
 * map) and with unknown fields at any depth, in order or at the end. The seed determines it.
 */
export function randomMessage(type: protobuf.Type, seed: number): Buffer {
  const random = seededRandom(seed);
  return message(type, 0);

  function pick<T>(items: readonly T[]): T {
    return items[Math.floor(random() * items.length)] as T;
  }

  function message(of: protobuf.Type, depth: number): Buffer {
    const text = specialMessage(of, depth);
    const known = text ?? knownFields(of, depth);
    const used = new Set(of.fieldsArray.map(({ id }) => id));
    const unknown: { id: number; bytes: Buffer }[] = [];
    while (random() < 0.25) {
      const id = 1 + Math.floor(random() * 60);
      if (!used.has(id)) unknown.push({ id, bytes: unknownField(id) });
    }
    const isAtEnd = random() < 0.5;
    const all = isAtEnd
      ? [...known, ...unknown]
      : [...known, ...unknown]
          .map((field, order) => ({ ...field, order }))
          .sort((a, b) => a.id - b.id || a.order - b.order);
    return Buffer.concat(all.map(({ bytes }) => bytes));
  }

  function knownFields(of: protobuf.Type, depth: number): { id: number; bytes: Buffer }[] {
    const fields = [...of.fieldsArray].sort((a, b) => a.id - b.id);
    const takenOneofs = new Set<string>();
    const share = depth > 6 ? 0 : Math.min(0.5, 4 / fields.length);
    return fields.flatMap((field) => {
      if (random() > share || field.name.startsWith('.')) return [];
      const oneof = field.partOf?.name;
      if (oneof !== undefined && takenOneofs.has(oneof)) return [];
      if (oneof !== undefined) takenOneofs.add(oneof);
      return [{ id: field.id, bytes: fieldBytes(field, depth) }];
    });
  }

  function fieldBytes(field: protobuf.Field, depth: number): Buffer {
    const { resolvedType } = field;
    if (field instanceof protobuf.MapField) {
      const value =
        resolvedType instanceof protobuf.Type
          ? wireField(2, 2, message(resolvedType, depth + 1))
          : scalar(2, resolvedType instanceof protobuf.Enum ? 'int32' : field.type);
      return wireField(field.id, 2, Buffer.concat([scalar(1, field.keyType), value]));
    }
    const count = field.repeated ? 1 + Math.floor(random() * 2) : 1;
    const times = Array.from({ length: count });
    if (resolvedType instanceof protobuf.Type) {
      return Buffer.concat(times.map(() => wireField(field.id, 2, message(resolvedType, depth + 1))));
    }
    const scalarType = resolvedType instanceof protobuf.Enum ? 'int32' : field.type;
    const values = times.map(() => scalar(field.id, scalarType));
    if (!field.repeated || scalarType === 'string' || scalarType === 'bytes') return Buffer.concat(values);
    const tagLength = protobuf.Writer.create()
      .uint32(field.id << 3)
      .finish().length;
    return wireField(field.id, 2, Buffer.concat(values.map((value) => value.subarray(tagLength))));
  }

  /** Never a default value, which encoders omit. */
  function scalar(id: number, scalarType: string): Buffer {
    const wireType = protobuf.types.basic[scalarType as 'int32'] ?? 0;
    const writer = protobuf.Writer.create().uint32((id << 3) | wireType);
    const number = 1 + Math.floor(random() * 2 ** 30);
    switch (scalarType) {
      case 'string':
        return Buffer.from(
          writer.string(pick(['x', 'näme', '[redacted]', '__proto__', 'a"b\n', '🦊'])).finish(),
        );
      case 'bytes':
        return Buffer.from(writer.bytes(Buffer.from(pick(['\u0000', 'abc', '[redacted]']))).finish());
      case 'bool':
        return Buffer.from(writer.bool(true).finish());
      case 'double':
        return Buffer.from(writer.double(pick([0.1, -1e300, 7])).finish());
      case 'float':
        return Buffer.from(writer.float(pick([0.5, -3.25, 1e20])).finish());
      case 'int32':
        return Buffer.from(writer.int32(pick([1, 2, -5, number])).finish());
      case 'uint32':
        return Buffer.from(writer.uint32(pick([1, 2 ** 32 - 1, number])).finish());
      case 'int64':
        return Buffer.from(writer.int64(pick([1, -7, number, 2 ** 53 + 2])).finish());
      case 'uint64':
        return Buffer.from(writer.uint64(pick([1, number, 2 ** 53 + 2, 2 ** 63])).finish());
      default:
        throw new Error(`no random value for ${scalarType}`);
    }
  }

  /** Types whose fields depend on each other. */
  function specialMessage(of: protobuf.Type, depth: number): { id: number; bytes: Buffer }[] | undefined {
    switch (of.fullName) {
      case '.google.protobuf.Duration':
      case '.google.protobuf.Timestamp':
        return random() < 0.3 ? [{ id: 1, bytes: wireField(1, 0, Buffer.from([7])) }] : [];
      case '.google.protobuf.FieldMask':
        return [{ id: 1, bytes: wireField(1, 2, Buffer.from(pick(['a', 'a_b', 'a,b', 'A']))) }];
      case '.google.protobuf.Any': {
        const name = depth > 5 ? 'acme.Unknown' : pick(innerTypes);
        const value = name === 'acme.Unknown' ? Buffer.from('?') : message(messageType(name), depth + 1);
        return [
          { id: 1, bytes: wireField(1, 2, Buffer.from(`type.googleapis.com/${name}`)) },
          ...(value.length > 0 ? [{ id: 2, bytes: wireField(2, 2, value) }] : []),
        ];
      }
      default:
        return undefined;
    }
  }

  function unknownField(id: number): Buffer {
    switch (Math.floor(random() * 5)) {
      case 0:
        return wireField(id, 0, Buffer.from(pick([[1], [0x96, 1], [0]])));
      case 1:
        return wireField(id, 1, Buffer.from([1, 2, 3, 4, 5, 6, 7, 8]));
      case 2:
        return wireField(id, 5, Buffer.from([1, 2, 3, 255]));
      case 3:
        return Buffer.concat([wireField(id, 3, Buffer.from([8, 1])), wireField(id, 4, Buffer.alloc(0))]);
      default:
        return wireField(id, 2, Buffer.from(pick(['', 'x', '[redacted]', 'longer text that is unknown'])));
    }
  }
}
