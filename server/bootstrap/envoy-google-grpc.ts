import type { JsonObject } from '../codec/json/json-object';
import { BootstrapError, stateBeside } from './bootstrap-error';
import { at, isEmpty, objectAt, objectsAt, textAt } from './envoy-json';
import { type EnvoySecurity, plainText, tlsChannel } from './envoy-tls';

/** How an Envoy reaches its management server, in the form of a gRPC bootstrap. */
export interface EnvoyService {
  readonly addresses: readonly string[];
  readonly security: EnvoySecurity;
  /** Entries of `call_creds`. */
  readonly calls: readonly JsonObject[];
}

/** Reads a GoogleGrpc, the service of Envoys whose gRPC client is C-core (Kuma). Throws a BootstrapError. */
export function readGoogleGrpc(google: JsonObject, where: string): EnvoyService {
  const args = objectAt(objectAt(google, 'channel_args'), 'args');
  const override = objectAt(args, 'grpc.ssl_target_name_override');
  return {
    addresses: [textAt(google, 'target_uri') ?? ''],
    security: {
      channel: channelOf(objectAt(google, 'channel_credentials'), `${where}.channel_credentials`),
      serverName: textAt(override, 'string_value'),
    },
    calls: objectsAt(google, 'call_credentials').flatMap((each) => callOf(each, `${where}.call_credentials`)),
  };
}

function channelOf(credentials: JsonObject, where: string): JsonObject {
  if (at(credentials, 'ssl_credentials') !== undefined) {
    const ssl = objectAt(credentials, 'ssl_credentials');
    const sources = {
      chain: objectAt(ssl, 'cert_chain'),
      key: objectAt(ssl, 'private_key'),
      ca: objectAt(ssl, 'root_certs'),
    };
    return tlsChannel(sources, `${where}.ssl_credentials`);
  }
  if (at(credentials, 'google_default') === undefined) return plainText.channel;
  throw new BootstrapError(
    `${where}.google_default`,
    `expected ssl_credentials, got the default credentials of Google Cloud, which are not supported: ${stateBeside}`,
  );
}

/** Call credentials that need a cloud are skipped, as gRPC skips those that it does not support. */
function callOf(credentials: JsonObject, where: string): readonly JsonObject[] {
  const token = textAt(credentials, 'access_token');
  if (token !== undefined) return [headerOf('authorization', { value: `Bearer ${token}` })];
  const plugin = objectAt(objectAt(credentials, 'from_plugin'), 'typed_config');
  const secret = objectAt(plugin, 'secret_data');
  if (isEmpty(secret)) return [];
  const prefix = textAt(plugin, 'header_prefix') ?? '';
  const name = textAt(plugin, 'header_key') ?? 'authorization';
  const inline = textAt(secret, 'inline_string');
  if (inline !== undefined) return [headerOf(name, { value: `${prefix}${inline}` })];
  const file = textAt(secret, 'filename');
  if (file !== undefined && prefix === '') return [headerOf(name, { file })];
  throw new BootstrapError(
    `${where}.from_plugin`,
    `expected secret_data with a filename and no header_prefix, got ${file === undefined ? 'another source' : 'a header_prefix'}`,
  );
}

function headerOf(name: string, content: { readonly value: string } | { readonly file: string }): JsonObject {
  return { type: 'request_header', config: { name: name.toLowerCase(), ...content } };
}
