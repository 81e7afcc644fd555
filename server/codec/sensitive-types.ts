import protobuf from 'protobufjs';
import { messageTypesBelow } from './message-types';
import { descriptorRoot, findMessageType, typesVersion, v2TypeNames } from './root';

/** Fields that hold secrets without saying so in these protos; Envoy's own redaction misses them too. */
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
]);

/** Messages whose content only shows at run time, or whose secrets have names instead of options. */
const openTypes = new Set([
  '.google.protobuf.Any',
  '.google.protobuf.Struct',
  '.google.protobuf.Value',
  '.google.protobuf.ListValue',
  '.envoy.config.core.v3.HeaderValue',
]);

const fullNames = new WeakMap<protobuf.ReflectionObject, string>();

/** The `fullName` of protobufjs, such as ".envoy.config.core.v3.HeaderValue", which its getter builds at every access. */
export function fullNameOf(object: protobuf.ReflectionObject): string {
  const known = fullNames.get(object);
  if (known !== undefined) return known;
  const name = object.fullName;
  fullNames.set(object, name);
  return name;
}

/** `option (udpa.annotations.sensitive) = true`: the whole value, at any depth below it, is secret. */
export function isSensitiveField(field: protobuf.Field): boolean {
  return (
    field.options?.['(udpa.annotations.sensitive)'] === true ||
    unmarkedSecrets.has(fullNameOf(field).slice(1))
  );
}

/** Bytes that are written in hexadecimal: no rule recognises a secret in them before they are decoded. */
export function isHexText(field: protobuf.Field): boolean {
  return fullNameOf(field) === '.envoy.config.core.v3.HealthCheck.Payload.text';
}

/** A map from names to text, as environment variables are: the entry's key decides. */
export function isNamedTextMap(field: protobuf.Field): boolean {
  return field instanceof protobuf.MapField && field.keyType === 'string' && field.type === 'string';
}

export function typeOfField(field: protobuf.Field): protobuf.Type | undefined {
  return field.resolvedType instanceof protobuf.Type ? field.resolvedType : undefined;
}

/** What is worked out of types, one by one; and again when types come or go. */
interface Reach {
  readonly version: number;
  /** By type: can what the question is about be anywhere in it? */
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

/** Can a secret be anywhere in a message of this type? */
export function canHoldSecrets(type: protobuf.Type): boolean {
  return reaches(reach().byNames, type, holdsByNames);
}

/** The same, of secrets that a field's annotation reports alone: they look like any other text. */
export function holdsSecretsBySchema(type: protobuf.Type): boolean {
  return reaches(reach().bySchema, type, holdsBySchema);
}

function holdsByNames(type: protobuf.Type): boolean {
  const holds = (field: protobuf.Field): boolean =>
    isSensitiveField(field) || isHexText(field) || isNamedTextMap(field);
  return openTypes.has(type.fullName) || type.fieldsArray.some(holds);
}

function holdsBySchema(type: protobuf.Type): boolean {
  return type.fieldsArray.some((field) => isSensitiveField(field) || isHexText(field));
}

/** Every name that isSecretName takes for a secret's has one of these in it. */
const secretWord = /pass|pwd|secret|token|credential|authorization|cookie|apikey|pkcs12|key/i;
/** In the name of most message types that can hold secrets: a version and a capital, or a company's prefix. */
const typeName = /\.v\d+(?:alpha\d*)?\.(?:[a-z]+\.)*[A-Z]|google\.|io\.envoyproxy\./;
/** Beginnings of the names of the others: their packages. */
let otherPackages: readonly string[] | undefined;

function findOtherPackages(): readonly string[] {
  const others = strangeNames().filter((name) => {
    const type = findMessageType(name);
    return type !== undefined && canHoldSecrets(type);
  });
  // A type without a package is reported by all of its name.
  return [...new Set(others.map((name) => /^(?:[a-z]\w*\.)+/.exec(name)?.[0] ?? name))];
}

/** Of message types, whose names the pattern does not know. */
function strangeNames(): string[] {
  const root = descriptorRoot();
  // What is inside a type is named after it.
  for (const name of [...root.waiting]) if (!typeName.test(name)) root.make(name);
  const made = [...messageTypesBelow(root)].map(({ fullName }) => fullName.slice(1));
  return [...made, ...v2TypeNames()].filter((name) => !typeName.test(name));
}

/**
 * Of secrets that are only reported by names (in a Struct, a header) or by the type of an Any: is there any such word in
 * the bytes at all? In endpoints, of which there are most, mostly not; then only the schema's own paths are walked.
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

/**
 * The fields that redaction must look at, by number; all others are passed over unread. `byNames`: also those whose
 * secrets only names tell.
 */
export function fieldsThatMatter(type: protobuf.Type, byNames: boolean): FieldPlan {
  const known = (byNames ? plans.byNames : plans.bySchema).get(type);
  if (known !== undefined) return known;
  const plan = new Map<number, protobuf.Field>();
  for (const field of type.fieldsArray) {
    const inner = typeOfField(field);
    const reaches = inner !== undefined && (byNames ? canHoldSecrets(inner) : holdsSecretsBySchema(inner));
    if (reaches || isSensitiveField(field) || isHexText(field) || (byNames && isNamedTextMap(field)))
      plan.set(field.id, field);
  }
  (byNames ? plans.byNames : plans.bySchema).set(type, plan);
  return plan;
}

/** Is it so of the type, or of one that it is made of? What is found out on the way is kept in `known`. */
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
  // All that can be reached from any of them has been looked at.
  for (const each of seen) known.set(each, false);
  return false;
}
