import type { JsonObject } from '../../codec/json/json-object';
import { BootstrapError, stateBeside } from './bootstrap-error';
import { at, isEmpty, objectAt, objectsAt, textAt } from './envoy-json';
import type { FindSecret } from './envoy-secrets';

/** The security of a server in the form of a gRPC bootstrap. */
export interface EnvoySecurity {
  /** An entry of `channel_creds`. */
  readonly channel: JsonObject;
  /** The name that the certificate of the server must contain, if it is not that of the target. */
  readonly serverName: string | undefined;
}

export const plainText: EnvoySecurity = { channel: { type: 'insecure' }, serverName: undefined };

/** Reads the transport socket of a cluster. `where` is the place of the cluster. Throws a BootstrapError. */
export function readTransportSocket(cluster: JsonObject, where: string, find: FindSecret): EnvoySecurity {
  const tls = objectAt(objectAt(cluster, 'transport_socket'), 'typed_config');
  const type = String(tls['@type'] ?? '');
  if (type === '' || /RawBuffer$/.test(type)) return plainText;
  const place = `${where}: transport_socket`;
  if (!/\.UpstreamTlsContext$/.test(type)) {
    throw new BootstrapError(place, 'expected UpstreamTlsContext or no transport socket, got another');
  }
  const common = objectAt(tls, 'common_tls_context');
  const certificate = certificateOf(common, place, find);
  const validation = validationOf(common, place, find);
  return {
    channel: tlsChannel(
      {
        chain: objectAt(certificate, 'certificate_chain'),
        key: objectAt(certificate, 'private_key'),
        ca: objectAt(validation, 'trusted_ca'),
      },
      place,
    ),
    serverName: exactName(validation) ?? textAt(tls, 'sni'),
  };
}

function certificateOf(common: JsonObject, place: string, find: FindSecret): JsonObject {
  const [inline] = objectsAt(common, 'tls_certificates');
  if (inline !== undefined) return inline;
  const name = 'tls_certificate_sds_secret_configs';
  const [reference] = objectsAt(common, name);
  if (reference !== undefined) return objectAt(find(reference, `${place}.${name}`), 'tls_certificate');
  const plugin = 'tls_certificate_certificate_provider_instance';
  if (at(common, plugin) === undefined) return {};
  throw new BootstrapError(`${place}.${plugin}`, 'expected a certificate or a secret, got a provider');
}

function validationOf(common: JsonObject, place: string, find: FindSecret): JsonObject {
  const combined = objectAt(common, 'combined_validation_context');
  const name = 'validation_context_sds_secret_config';
  const reference = [common, combined].map((each) => objectAt(each, name)).find((each) => !isEmpty(each));
  const secret =
    reference === undefined ? {} : objectAt(find(reference, `${place}.${name}`), 'validation_context');
  // As in Envoy, the secret is merged into the default context.
  return {
    ...objectAt(common, 'validation_context'),
    ...objectAt(combined, 'default_validation_context'),
    ...secret,
  };
}

/** Envoy compares the names of the certificate with these instead of that of the target. Others are URIs, as of SPIFFE. */
function exactName(validation: JsonObject): string | undefined {
  const typed = objectsAt(validation, 'match_typed_subject_alt_names').filter(
    (each) => textAt(each, 'san_type') === 'DNS',
  );
  const matchers = [
    ...typed.map((each) => objectAt(each, 'matcher')),
    ...objectsAt(validation, 'match_subject_alt_names'),
  ];
  return matchers
    .map((each) => textAt(each, 'exact'))
    .find((name) => name !== undefined && /^[\w-]+(?:\.[\w-]+)*$/.test(name));
}

interface TlsSources {
  /** Each is a DataSource, empty if it is absent. */
  readonly chain: JsonObject;
  readonly key: JsonObject;
  readonly ca: JsonObject;
}

/** An entry of `channel_creds`, with files, or with PEM that stands in the bootstrap. */
export function tlsChannel({ chain, key, ca }: TlsSources, where: string): JsonObject {
  return {
    type: 'tls',
    config: {
      ...readSource(chain, `${where}.certificate_chain`, ['certificate_file', 'xdscope_certificate']),
      ...readSource(key, `${where}.private_key`, ['private_key_file', 'xdscope_private_key']),
      ...readSource(ca, `${where}.trusted_ca`, ['ca_certificate_file', 'xdscope_ca_certificate']),
    },
  };
}

/** Reads a DataSource as a field with the name of a file, or one with the content. */
function readSource(
  source: JsonObject,
  where: string,
  [file, content]: readonly [string, string],
): Readonly<Record<string, string>> {
  if (isEmpty(source)) return {};
  const filename = textAt(source, 'filename');
  if (filename !== undefined) return { [file]: filename };
  const inline = textAt(source, 'inline_string') ?? decodeBase64(textAt(source, 'inline_bytes'));
  if (inline !== undefined) return { [content]: inline };
  const got =
    at(source, 'environment_variable') === undefined
      ? 'another source'
      : `a variable of Envoy's environment, which xdscope does not have: ${stateBeside}`;
  throw new BootstrapError(where, `expected a filename, inline_string or inline_bytes, got ${got}`);
}

function decodeBase64(text: string | undefined): string | undefined {
  return text === undefined ? undefined : Buffer.from(text, 'base64').toString('utf8');
}
