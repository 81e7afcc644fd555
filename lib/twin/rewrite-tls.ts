import { isJsonObject, type JsonObject } from '../diff/json-object';
import { joinPath } from './field-path';
import type { MutableJson, SubjectName, TwinOptions } from './twin';

type Note = (path: string, what: string, why: string) => void;

/** Fields of a CommonTlsContext that hold or name certificates and keys. */
const certificateFields = [
  'tlsCertificates',
  'tlsCertificateSdsSecretConfigs',
  'tlsCertificateProvider',
  'tlsCertificateProviderInstance',
  'tlsCertificateCertificateProvider',
  'tlsCertificateCertificateProviderInstance',
];
const validationFields = [
  'validationContext',
  'combinedValidationContext',
  'validationContextSdsSecretConfig',
  'validationContextCertificateProvider',
  'validationContextCertificateProviderInstance',
];
const keptFields = ['tlsParams', 'alpnProtocols'];

/**
 * Replaces the certificates and keys of a CommonTlsContext by throw-away ones. Matchers of names remain where a name that
 * they accept can be derived from them.
 */
export function rewriteTls(context: JsonObject, path: string, options: TwinOptions, note: Note): MutableJson {
  const result: MutableJson = {};
  for (const field of keptFields) if (context[field] !== undefined) result[field] = context[field];
  const certificateField = certificateFields.find((field) => context[field] !== undefined);
  if (certificateField !== undefined) {
    const { certificate, key } = options.issue([]);
    result.tlsCertificates = [
      { certificateChain: { inlineString: certificate }, privateKey: { inlineString: key } },
    ];
    note(
      joinPath(path, certificateField),
      'replaced by a throw-away certificate',
      'the twin has no secret of the client',
    );
  }
  const validationField = validationFields.find((field) => context[field] !== undefined);
  if (validationField !== undefined) {
    const matchers = listMatchers(context).filter((matcher) => findAccepted(matcher) !== undefined);
    result.validationContext = {
      trustedCa: { inlineString: options.authority },
      ...(matchers.length > 0 && { matchTypedSubjectAltNames: matchers }),
    };
    note(
      joinPath(path, validationField),
      matchers.length > 0
        ? 'replaced by the throw-away authority and the matchers of names'
        : 'replaced by the throw-away authority',
      'the certificates of the twin are issued by it; other checks of certificates are left out',
    );
  }
  const known = new Set([...keptFields, ...certificateFields, ...validationFields]);
  for (const field of Object.keys(context)) {
    if (!known.has(field)) note(joinPath(path, field), 'removed', 'it is not part of the TLS of the twin');
  }
  return result;
}

/** A name for each way to be accepted that the matchers of a TransportSocket state; empty without matchers. */
export function acceptedNames(socket: unknown): SubjectName[] {
  const typed = isJsonObject(socket) ? socket.typedConfig : undefined;
  const context = isJsonObject(typed) ? typed.commonTlsContext : undefined;
  if (!isJsonObject(context)) return [];
  return listMatchers(context).flatMap((matcher) => findAccepted(matcher) ?? []);
}

function listMatchers(context: JsonObject): JsonObject[] {
  const combined = context.combinedValidationContext;
  const validation =
    context.validationContext ?? (isJsonObject(combined) ? combined.defaultValidationContext : undefined);
  if (!isJsonObject(validation)) return [];
  const { matchTypedSubjectAltNames: typed, matchSubjectAltNames: untyped } = validation;
  // A matcher without a type accepts names of each kind: a SPIFFE id is a URI, others are taken as DNS names.
  const withTypes = objectsOf(untyped).map((matcher) => ({
    sanType: JSON.stringify(matcher).includes('://') ? 'URI' : 'DNS',
    matcher,
  }));
  return [...objectsOf(typed), ...withTypes];
}

function objectsOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

const kinds: Readonly<Record<string, SubjectName['kind']>> = {
  EMAIL: 'email',
  DNS: 'dns',
  URI: 'uri',
  IP_ADDRESS: 'ip',
};

function findAccepted({ sanType, matcher }: JsonObject): SubjectName | undefined {
  const kind = kinds[String(sanType)];
  if (kind === undefined || !isJsonObject(matcher)) return undefined;
  const { exact, prefix, suffix, contains } = matcher;
  if (typeof exact === 'string') return { kind, value: exact };
  if (kind === 'ip') return undefined;
  if (typeof prefix === 'string') return { kind, value: `${prefix}twin` };
  if (typeof suffix === 'string') return { kind, value: `twin${suffix}` };
  return typeof contains === 'string' ? { kind, value: contains } : undefined;
}
