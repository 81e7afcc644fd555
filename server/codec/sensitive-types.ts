import protobuf from 'protobufjs';
import { messageTypesBelow } from './message-types';
import { descriptorRoot, findMessageType, typesVersion, v2TypeNames } from './root';
import { isNameField, isValueField, secretStems } from './secret-name';

/** These secret fields are not annotated in the protos. Envoy's own redaction misses them too. */
const unmarkedSecrets = new Set([
  'envoy.config.core.v3.GrpcService.GoogleGrpc.CallCredentials.accessToken',
  'envoy.config.core.v3.GrpcService.GoogleGrpc.CallCredentials.googleRefreshToken',
  'envoy.config.core.v3.GrpcService.GoogleGrpc.CallCredentials.ServiceAccountJWTAccessCredentials.jsonKey',
  'envoy.config.core.v3.GrpcService.GoogleGrpc.CallCredentials.GoogleIAMCredentials.authorizationToken',
  'envoy.config.trace.v3.LightstepConfig.accessToken',
  'envoy.extensions.grpc_service.call_credentials.access_token.v3.AccessTokenCredentials.token',
  'envoy.extensions.grpc_service.call_credentials.google_iam.v3.GoogleIamCredentials.authorizationToken',
  'envoy.extensions.grpc_service.call_credentials.google_refresh_token.v3.GoogleRefreshTokenCredentials.token',
  'envoy.extensions.grpc_service.call_credentials.service_account_jwt_access.v3.ServiceAccountJwtAccessCredentials.jsonKey',
  'envoy.extensions.filters.http.aws_lambda.v3.Config.credentials',
  'envoy.service.redis_auth.v3.RedisProxyExternalAuthRequest.password',
]);

/** Messages whose content is known only at run time, or whose secrets are recognised by names. */
const openTypes = new Set([
  '.google.protobuf.Any',
  '.google.protobuf.Struct',
  '.google.protobuf.Value',
  '.google.protobuf.ListValue',
]);

const fullNames = new WeakMap<protobuf.ReflectionObject, string>();

/** Returns the `fullName` of protobufjs, such as ".envoy.config.core.v3.Node". Its getter builds it at every access. */
export function fullNameOf(object: protobuf.ReflectionObject): string {
  const known = fullNames.get(object);
  if (known !== undefined) return known;
  const name = object.fullName;
  fullNames.set(object, name);
  return name;
}

/** Returns whether the field has `option (udpa.annotations.sensitive) = true`: all values in it are secret. */
export function isSensitiveField(field: protobuf.Field): boolean {
  return (
    field.options?.['(udpa.annotations.sensitive)'] === true ||
    unmarkedSecrets.has(fullNameOf(field).slice(1))
  );
}

/** Returns whether a text is bytes in hexadecimal, in which secrets are recognised only after decoding. */
export function isHexText(field: protobuf.Field): boolean {
  return fullNameOf(field) === '.envoy.config.core.v3.HealthCheck.Payload.text';
}

/** Returns whether the field is a map from names to texts, such as environment variables, whose keys name secrets. */
export function isNamedTextMap(field: protobuf.Field): boolean {
  return field instanceof protobuf.MapField && field.keyType === 'string' && field.type === 'string';
}

/** A message such as HeaderMatcher, in which one field names what others contain. */
interface Pair {
  readonly name: protobuf.Field;
  /** The numbers of the fields that are secret if the name names a secret. */
  readonly values: ReadonlySet<number>;
}

const pairs = new WeakMap<protobuf.Type, Pair | null>();

/** Returns undefined if the type has no such fields. */
export function findPair(type: protobuf.Type): Pair | undefined {
  const known = pairs.get(type);
  if (known !== undefined) return known ?? undefined;
  const name = type.fieldsArray.find((each) => each.type === 'string' && isNameField(each.name));
  const values = type.fieldsArray.filter((each) => each !== name && isValueField(each.name));
  const pair =
    name === undefined || values.length === 0 ? null : { name, values: new Set(values.map(({ id }) => id)) };
  pairs.set(type, pair);
  return pair ?? undefined;
}

export function typeOfField(field: protobuf.Field): protobuf.Type | undefined {
  return field.resolvedType instanceof protobuf.Type ? field.resolvedType : undefined;
}

/** Results per type, discarded when user types change. */
interface Reach {
  readonly version: number;
  /** States whether a message of the type can contain a secret. */
  readonly byNames: Map<protobuf.Type, boolean>;
  readonly bySchema: Map<protobuf.Type, boolean>;
}

let latest: Reach | undefined;

function reach(): Reach {
  const version = typesVersion();
  if (latest?.version !== version) {
    latest = { version, byNames: new Map(), bySchema: new Map() };
    otherPackages = undefined;
  }
  return latest;
}

/** Returns whether a message of this type can contain a secret that is recognised by names. */
export function canHoldSecrets(type: protobuf.Type): boolean {
  return reaches(reach().byNames, type, holdsByNames);
}

/** Returns whether a message of this type can contain a secret that only a field's annotation marks. */
export function holdsSecretsBySchema(type: protobuf.Type): boolean {
  return reaches(reach().bySchema, type, holdsBySchema);
}

function holdsByNames(type: protobuf.Type): boolean {
  const holds = (field: protobuf.Field): boolean =>
    isSensitiveField(field) || isHexText(field) || isNamedTextMap(field);
  return openTypes.has(type.fullName) || findPair(type) !== undefined || type.fieldsArray.some(holds);
}

function holdsBySchema(type: protobuf.Type): boolean {
  return type.fieldsArray.some((field) => isSensitiveField(field) || isHexText(field));
}

const secretWord = new RegExp(
  secretStems.map((stem) => Buffer.from(stem).toString('latin1').replace(/[^\w]/g, '\\$&')).join('|'),
  'i',
);
/** Matches the names of most message types that can hold secrets, by a version or the prefix of a company. */
const typeName = /\.v\d+(?:alpha\d*)?\.(?:[a-z]+\.)*[A-Z]|google\.|io\.envoyproxy\./;
/** Package prefixes of the other message types that can hold secrets. */
let otherPackages: readonly string[] | undefined;

function findOtherPackages(): readonly string[] {
  const others = unusualNames().filter((name) => {
    const type = findMessageType(name);
    return type !== undefined && canHoldSecrets(type);
  });
  // A type without a package has its whole name as prefix.
  return [...new Set(others.map((name) => /^(?:[a-z]\w*\.)+/.exec(name)?.[0] ?? name))];
}

/** Names of message types that `typeName` does not match. */
function unusualNames(): string[] {
  const root = descriptorRoot();
  // Nested types have the prefix of the type that contains them.
  for (const name of [...root.waiting]) if (!typeName.test(name)) root.make(name);
  const made = [...messageTypesBelow(root)].map(({ fullName }) => fullName.slice(1));
  return [...made, ...v2TypeNames()].filter((name) => !typeName.test(name));
}

/**
 * Returns whether the bytes contain any word that can name a secret (in a Struct or a header), or the type of an Any
 * that can contain one. Endpoints, the most frequent resources, mostly do not; then only annotated fields are read.
 */
export function mayNameSecrets(bytes: Uint8Array): boolean {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  if (secretWord.test(text) || typeName.test(text)) return true;
  reach();
  otherPackages ??= findOtherPackages();
  return otherPackages.some((name) => text.includes(name));
}

type FieldPlan = ReadonlyMap<number, protobuf.Field>;
const plans = {
  byNames: new WeakMap<protobuf.Type, FieldPlan>(),
  bySchema: new WeakMap<protobuf.Type, FieldPlan>(),
};

/** Returns the fields that redaction must read, by number. `byNames` includes secrets that names mark. */
export function fieldsThatMatter(type: protobuf.Type, byNames: boolean): FieldPlan {
  const known = (byNames ? plans.byNames : plans.bySchema).get(type);
  if (known !== undefined) return known;
  const plan = new Map<number, protobuf.Field>();
  for (const field of type.fieldsArray) {
    const inner = typeOfField(field);
    const reaches = inner !== undefined && (byNames ? canHoldSecrets(inner) : holdsSecretsBySchema(inner));
    const isPaired = byNames && findPair(type)?.values.has(field.id) === true;
    if (
      reaches ||
      isPaired ||
      isSensitiveField(field) ||
      isHexText(field) ||
      (byNames && isNamedTextMap(field))
    )
      plan.set(field.id, field);
  }
  (byNames ? plans.byNames : plans.bySchema).set(type, plan);
  return plan;
}

/** Returns whether `isSo` holds for the type or for any type that it contains. `known` caches results. */
function reaches(
  known: Map<protobuf.Type, boolean>,
  type: protobuf.Type,
  isSo: (type: protobuf.Type) => boolean,
): boolean {
  const before = known.get(type);
  if (before !== undefined) return before;
  const seen = new Set([type]);
  const queue = [type];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    if (known.get(next) ?? isSo(next)) {
      known.set(next, true);
      known.set(type, true);
      return true;
    }
    if (known.has(next)) continue;
    for (const field of next.fieldsArray) {
      const inner = typeOfField(field);
      if (inner === undefined || seen.has(inner)) continue;
      seen.add(inner);
      queue.push(inner);
    }
  }
  // No type that is reachable from any of them matches.
  for (const each of seen) known.set(each, false);
  return false;
}
