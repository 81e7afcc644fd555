import { createCodec } from '@/server/codec/codec';
import { isLong } from '../runs';
import { wireField } from './random-message';
import { plantCauses } from './secret-causes';
import { type PlantedSecret, plantSecrets, randomCanary } from './secret-kinds';

const codec = createCodec({ redactionKey: Buffer.from('unused') });
const url = (name: string): string => `type.googleapis.com/${name}`;
const cluster = 'envoy.config.cluster.v3.Cluster';
const listener = 'envoy.config.listener.v3.Listener';
const secretType = 'envoy.extensions.transport_sockets.tls.v3.Secret';

export interface HostileResource {
  readonly typeUrl: string;
  readonly name: string;
  readonly json: Readonly<Record<string, unknown>>;
  readonly bytes: Uint8Array;
}

/** Resources with secrets in every kind of field, and these secrets. */
export interface HostileConfig {
  readonly planted: readonly PlantedSecret[];
  /** Secrets of `plantCauses()`, each kind in one place. */
  readonly causes: readonly PlantedSecret[];
  readonly resources: readonly HostileResource[];
}

/**
 * A field has a part of the kinds, and another part in the next config: this many configs have every kind in every field.
 * In `npm run test:long` each of them has.
 */
export const partCount = isLong ? 1 : 4;

/** Secrets of the kinds of one part. */
export const plantPart = (part: number): PlantedSecret[] =>
  plantSecrets().filter((_, index) => (index + part) % partCount === 0);

/** The number of calls of plant() in a config. */
const placeCount = 12;

/** Each call uses new secrets. `prefix` starts the names of the resources; `part` is the part of the kinds in the first field. */
export function hostileConfig(prefix: string, part: number): HostileConfig {
  const planted: PlantedSecret[] = [];
  const causes: PlantedSecret[] = [];
  const allCauses = plantCauses();
  let places = 0;
  const plant = (place: string): string[] => {
    const named = (each: PlantedSecret) => ({ ...each, kind: `${each.kind} in ${place}` });
    const secrets = plantPart(part + places).map(named);
    const ofPlace = allCauses.filter((_, index) => (index + part + places) % placeCount === 0).map(named);
    places += 1;
    planted.push(...secrets);
    causes.push(...ofPlace);
    return [...secrets, ...ofPlace].map(({ text }) => text);
  };
  /** A secret that no rule recognises by its value. */
  const plain = (kind: string): string => {
    const secret = randomCanary();
    planted.push({ kind, text: secret, secret });
    return secret;
  };
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const any = (type: string, members: object): object => ({ '@type': url(type), ...members });
  const extension = (config: object, index: number): object => ({ name: `f${index}`, typedConfig: config });
  const lua = 'envoy.extensions.filters.http.lua.v3.Lua';
  const filters = [
    ...plant('Lua').map((text) => any(lua, { inlineCode: text })),
    ...plant('Lua as bytes').map((text) => any(lua, { defaultSourceCode: { inlineBytes: base64(text) } })),
    ...plant('a StringValue').map((text) => any('google.protobuf.StringValue', { value: text })),
    ...plant('a BytesValue').map((text) => any('google.protobuf.BytesValue', { value: base64(text) })),
    ...plant('a TypedStruct').map((text) =>
      any('xds.type.v3.TypedStruct', { typeUrl: url('acme.Unknown'), value: { note: [{ text }] } }),
    ),
    any('envoy.extensions.filters.http.basic_auth.v3.BasicAuth', {
      users: { inlineString: plain('users of basic auth') },
    }),
  ];
  const list: [string, Readonly<Record<string, unknown>>][] = [
    [
      cluster,
      {
        name: `${prefix}-metadata`,
        metadata: {
          filterMetadata: { 'acme.note': { texts: plant('metadata'), password: plain('a key of metadata') } },
        },
      },
    ],
    [
      cluster,
      {
        name: `${prefix}-health`,
        healthChecks: [
          ...plant('the payload of a health check').map((text) => ({
            tcpHealthCheck: { send: { text: Buffer.from(text).toString('hex') } },
          })),
          ...plant('a payload in bytes').map((text) => ({
            tcpHealthCheck: { send: { binary: base64(text) } },
          })),
          ...plant('the path of a health check').map((text) => ({ httpHealthCheck: { path: text } })),
        ],
      },
    ],
    [
      listener,
      {
        name: `${prefix}-listener`,
        apiListener: {
          apiListener: any(
            'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
            {
              statPrefix: 'x',
              httpFilters: filters.map(extension),
            },
          ),
        },
      },
    ],
    [
      'envoy.config.route.v3.RouteConfiguration',
      {
        name: `${prefix}-routes`,
        requestHeadersToAdd: [
          ...plant('a header').map((value) => ({ header: { key: 'x-note', value } })),
          { header: { key: 'authorization', value: plain('an authorization header') } },
        ],
        virtualHosts: [
          {
            name: 'v',
            domains: ['*'],
            routes: plant('a direct response').map((text) => ({
              match: { prefix: '/' },
              directResponse: { status: 200, body: { inlineString: text } },
            })),
          },
        ],
      },
    ],
    [
      secretType,
      {
        name: `${prefix}-key`,
        tlsCertificate: {
          privateKey: { inlineString: plain('a private key') },
          password: { inlineString: plain('its password') },
        },
      },
    ],
    [
      secretType,
      {
        name: `${prefix}-bytes`,
        tlsCertificate: { privateKey: { inlineBytes: base64(plain('a private key in bytes')) } },
      },
    ],
    [
      secretType,
      { name: `${prefix}-generic`, genericSecret: { secret: { inlineString: plain('a generic secret') } } },
    ],
    [
      secretType,
      {
        name: `${prefix}-tickets`,
        sessionTicketKeys: { keys: [{ inlineBytes: base64(plain('a session ticket key')) }] },
      },
    ],
  ];
  const resources = list.map(([type, json]) => ({
    typeUrl: url(type),
    name: String(json.name),
    json,
    bytes: codec.encode(url(type), json),
  }));
  const unknown = unknownTypes(prefix, plant('an unknown type'));
  if (places !== placeCount) throw new Error(`expected ${placeCount} places of texts, got ${places}`);
  return { planted, causes, resources: [...resources, unknown] };
}

/** Anys of an unknown type. */
function unknownTypes(prefix: string, texts: readonly string[]): HostileResource {
  const json = {
    name: `${prefix}-unknown`,
    filters: texts.map((text, index) => ({
      name: `f${index}`,
      typedConfig: {
        '@type': url('acme.Unknown'),
        'xdscope.opaque': { valueBase64: wireField(1, 2, Buffer.from(text)).toString('base64') },
      },
    })),
  };
  const typeUrl = url(cluster);
  return { typeUrl, name: json.name, json, bytes: codec.encode(typeUrl, json) };
}
