import protobuf from 'protobufjs';

/** The properties of a field that JSON conversions need. */
export interface FieldPlan {
  readonly name: string;
  /** The step of a path to the field, as in ".name". */
  readonly step: string;
  readonly jsonName: string;
  readonly number: number;
  readonly shape: 'single' | 'list' | 'map';
  /** Set when the values are messages. */
  readonly type: protobuf.Type | undefined;
  readonly enumType: protobuf.Enum | undefined;
  /** The type of other values, such as "string" or "uint64"; "ip" for bytes that are an IP address. */
  readonly scalar: string;
  /** Type of the keys of a map, else empty. */
  readonly keyType: string;
  readonly oneof: string | undefined;
  /** True if an unset field differs from a default value. */
  readonly hasPresence: boolean;
  /** Place in the .proto file, which defines the order in JSON. */
  readonly order: number;
}

interface TypePlan {
  /** The key is the property of a decoded message. */
  readonly byName: ReadonlyMap<string, FieldPlan>;
  /** The keys are all names that proto3 JSON accepts: camelCase, snake_case, json_name. */
  readonly byJsonName: ReadonlyMap<string, FieldPlan>;
  readonly byNumber: ReadonlyMap<number, FieldPlan>;
  readonly special: SpecialJson | undefined;
}

export type SpecialJson = 'any' | 'struct' | 'value' | 'list' | 'wrapper' | 'text';

const specialTypes = new Map<string, SpecialJson>([
  ['.google.protobuf.Any', 'any'],
  ['.google.protobuf.Struct', 'struct'],
  ['.google.protobuf.Value', 'value'],
  ['.google.protobuf.ListValue', 'list'],
  ['.google.protobuf.Duration', 'text'],
  ['.google.protobuf.Timestamp', 'text'],
  ['.google.protobuf.FieldMask', 'text'],
  ...['Double', 'Float', 'Int64', 'UInt64', 'Int32', 'UInt32', 'Bool', 'String', 'Bytes'].map(
    (name): [string, SpecialJson] => [`.google.protobuf.${name}Value`, 'wrapper'],
  ),
]);

/** Istio's fields with an IP address in 4 or 16 bytes (ambient mesh). */
const ipFields: ReadonlySet<string> = new Set([
  '.istio.workload.Workload.addresses',
  '.istio.workload.NetworkAddress.address',
  '.istio.security.Address.address',
]);

const plans = new WeakMap<protobuf.Type, TypePlan>();

export function planOf(type: protobuf.Type): TypePlan {
  const known = plans.get(type);
  if (known !== undefined) return known;
  const byName = new Map<string, FieldPlan>();
  const byJsonName = new Map<string, FieldPlan>();
  for (const [order, field] of type.fieldsArray.entries()) {
    field.resolve();
    const plan = planField(field, order);
    byName.set(plan.name, plan);
    for (const name of [field.name, field.jsonName, field.protoName]) {
      byJsonName.set(name, plan);
    }
  }
  for (const field of byName.values()) {
    // Fields that v3 dropped have this prefix in Envoy's tables. Documents of v2 have the name behind it.
    const older = /^hiddenEnvoyDeprecated(\w)(\w*)$/.exec(field.name);
    if (older === null) continue;
    const [, first = '', rest = ''] = older;
    const camel = first.toLowerCase() + rest;
    for (const name of [camel, camel.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`)]) {
      if (!byJsonName.has(name)) byJsonName.set(name, field);
    }
  }
  const byNumber = new Map([...byName.values()].map((field) => [field.number, field]));
  const plan = { byName, byJsonName, byNumber, special: specialTypes.get(type.fullName) };
  plans.set(type, plan);
  return plan;
}

function planField(field: protobuf.Field, order: number): FieldPlan {
  const { resolvedType } = field;
  return {
    name: field.name,
    step: `.${field.name}`,
    jsonName: field.jsonName,
    number: field.id,
    shape: field.map ? 'map' : field.repeated ? 'list' : 'single',
    type: resolvedType instanceof protobuf.Type ? resolvedType : undefined,
    enumType: resolvedType instanceof protobuf.Enum ? resolvedType : undefined,
    scalar: ipFields.has(`${field.parent?.fullName}.${field.name}`) ? 'ip' : field.type,
    keyType: field instanceof protobuf.MapField ? field.keyType : '',
    oneof: field.partOf?.name,
    hasPresence: Boolean(field.hasPresence),
    order,
  };
}
