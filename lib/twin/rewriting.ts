import { isJsonObject, type JsonObject } from '../diff/json-object';
import { reasonAgainst } from './allowed-extensions';
import { joinPath } from './field-path';
import { rewriteTls } from './rewrite-tls';
import { adaptToStub, callsStub, replaceService } from './service-stubs';
import type { MutableJson, ServiceAnswer, SubjectName, TwinBackend, TwinChange, TwinOptions } from './twin';

/** What the twin of one client has so far. */
export interface TwinParts {
  readonly options: TwinOptions;
  readonly changes: TwinChange[];
  readonly backends: TwinBackend[];
  /** Names that backends must carry, by cluster. */
  readonly backendNames: Map<string, SubjectName[]>;
  /** The names of extension configs (ECDS) that the twin serves. */
  readonly extensions: ReadonlySet<string>;
  /** The clusters, or the names of their endpoints, that choose an endpoint by the hash of a request. */
  readonly hashing: ReadonlySet<string>;
  /** What stubs answer in place of external services, by the name of the HTTP filter. */
  readonly stubs: Map<string, ServiceAnswer>;
}

/** The HTTP filter to which a part of a resource belongs. */
interface FilterOfPart {
  readonly name: string;
  /** Set in the config of a filter whose service a stub replaces. */
  readonly answer?: ServiceAnswer;
}

const external = 'it calls an external service';
const machine = 'it depends on files or interfaces of the machine';

/** Fields that are removed wherever they occur. */
const removedFields: Readonly<Record<string, string>> = {
  accessLog: 'the twin has an access log of its own',
  accessLogOptions: 'the twin has an access log of its own',
  tracing: external,
  grpcService: external,
  httpService: external,
  rateLimitService: external,
  lrsServer: external,
  healthChecks: 'echo backends answer; each endpoint has the health that its EDS resource states',
  upstreamBindConfig: machine,
  socketOptions: machine,
  additionalSocketOptions: machine,
  watchedDirectory: machine,
  pathConfigSource: machine,
  dnsResolvers: 'the twin resolves no name',
  dnsResolutionConfig: 'the twin resolves no name',
  typedDnsResolverConfig: 'the twin resolves no name',
  alternateProtocolsCacheOptions: 'the twin has no HTTP/3',
};

/** Fields with an envoy.config.core.v3.ConfigSource. */
const configSource = /^(?:configSource|edsConfig|sdsConfig|cdsConfig|rdsConfigSource|scopedRdsConfigSource)$/;

/** A resource that the client lacks as well does not hold the start of the twin up for longer than this. */
export const adsSource = { ads: {}, resourceApiVersion: 'V3', initialFetchTimeout: '10s' };

/** Rewrites one resource: keeps what can be in a twin, and lists the rest as changes. */
export class Rewriting {
  readonly parts: TwinParts;
  readonly #typeUrl: string;
  readonly #name: string;

  constructor(parts: TwinParts, typeUrl: string, name: string) {
    this.parts = parts;
    this.#typeUrl = typeUrl;
    this.#name = name;
  }

  note(path: string, what: string, why: string): void {
    this.parts.changes.push({ typeUrl: this.#typeUrl, name: this.#name, path, what, why });
  }

  /** Removes a field if it is set. */
  drop(json: MutableJson, field: string, path: string, why: string): void {
    if (json[field] === undefined) return;
    delete json[field];
    this.note(joinPath(path, field), 'removed', why);
  }

  /** Returns the value as it is in the twin; undefined if it is not part of it. */
  keep(value: unknown, path: string, filter: FilterOfPart = { name: this.#name }): unknown {
    if (Array.isArray(value)) {
      return value.flatMap((item, index) => {
        const kept = this.keep(item, `${path}[${index}]`, filter);
        return kept === undefined ? [] : [kept];
      });
    }
    if (!isJsonObject(value)) return value;
    const why = this.#reasonAgainst(value);
    if (why !== '') {
      this.note(path, 'removed', why);
      return undefined;
    }
    const isCaller = callsStub(value['@type']);
    const inner = isCaller
      ? this.#stub(filter.name)
      : isJsonObject(value.typedConfig)
        ? { name: String(value.name ?? '') }
        : filter;
    const result: MutableJson = {};
    for (const [key, member] of Object.entries(value)) {
      const kept = this.#keepField(key, member, joinPath(path, key), inner);
      if (kept !== undefined) result[key] = kept;
    }
    if (isCaller) adaptToStub(result, (field, what, why) => this.note(joinPath(path, field), what, why));
    return result;
  }

  /** The stub in place of the external service of a filter. */
  #stub(name: string): FilterOfPart {
    const answer = name === this.parts.options.deniedBy ? 'deny' : 'allow';
    this.parts.stubs.set(name, answer);
    return { name, answer };
  }

  #reasonAgainst(value: JsonObject): string {
    const { '@type': type, filename, environmentVariable } = value;
    if (typeof type === 'string') {
      if ('xdscope.opaque' in value) return 'xdscope does not know its type';
      const ofCaller = this.parts.options.client === 'grpc' ? external : '';
      const reason = callsStub(type) ? ofCaller : reasonAgainst(type);
      if (reason !== '') return `${type.slice(type.lastIndexOf('/') + 1)}: ${reason}`;
    }
    if (typeof filename === 'string') return 'it reads a file of the machine';
    if (typeof environmentVariable === 'string') return 'it reads the environment of the process';
    if (isJsonObject(value.socketAddress) || isJsonObject(value.pipe))
      return 'it is an address of the client';
    if (isJsonObject(value.envoyInternalAddress)) return 'it is an address of the client';
    const { configDiscovery, name, typedConfig, config, disabled, match, transportSocket } = value;
    // A match among those of a cluster is nothing without its socket.
    if (isJsonObject(match) && isJsonObject(transportSocket)) return this.#reasonAgainst(transportSocket);
    // An extension without its config would be another one.
    if (isJsonObject(typedConfig)) return this.#reasonAgainst(typedConfig);
    if (isRouteFilter(type) && isJsonObject(config) && disabled !== true) return this.#reasonAgainst(config);
    if (isJsonObject(configDiscovery) && !this.parts.extensions.has(String(name)))
      return 'the twin has no extension config of this name';
    return '';
  }

  #keepField(key: string, member: unknown, path: string, filter: FilterOfPart): unknown {
    // A Struct has keys of its own, which are no fields.
    if (key === 'filterMetadata') return member;
    if (key === 'typedPerFilterConfig' && isJsonObject(member)) return this.#keepOverrides(member, path);
    if (key === 'transportSocket' && this.parts.options.client === 'grpc') {
      this.note(path, 'removed', 'the connections of the gRPC client are plaintext');
      return undefined;
    }
    const { name, answer } = filter;
    if (answer !== undefined) {
      const stub = replaceService(key, answer);
      if (stub !== undefined) {
        const what = answer === 'allow' ? 'allows' : 'denies';
        this.note(path, `replaced by a stub that ${what} every request of filter ${name}`, external);
        return stub;
      }
      if (key === 'httpService' || key === 'rateLimitService') return this.keep(member, path, filter);
    }
    const why = Object.hasOwn(removedFields, key) ? removedFields[key] : undefined;
    if (why !== undefined) {
      this.note(path, 'removed', why);
      return undefined;
    }
    if (key.startsWith('xdscope.')) {
      this.note(path, 'removed', 'xdscope does not know the fields');
      return undefined;
    }
    if (configSource.test(key)) {
      if (isJsonObject(member) && !isJsonObject(member.ads)) {
        this.note(path, 'replaced by ADS', 'the twin has one management server');
      }
      return adsSource;
    }
    if (key === 'commonTlsContext' && isJsonObject(member))
      return rewriteTls(member, path, this.parts.options, (...change) => this.note(...change));
    if ((key === 'remoteJwks' || key === 'localJwks') && isJsonObject(member)) return undefined;
    if (key === 'providers' && isJsonObject(member)) return this.#keepProviders(member, path);
    return this.keep(member, path, filter);
  }

  /** Configs of filters for a route, by the name of the filter. */
  #keepOverrides(overrides: JsonObject, path: string): MutableJson {
    const kept: MutableJson = {};
    for (const [name, override] of Object.entries(overrides)) {
      const own = this.keep(override, joinPath(path, name), { name });
      if (own !== undefined) kept[name] = own;
    }
    return kept;
  }

  /** Providers of the JWT filter. A token of the client's issuers is not verified. */
  #keepProviders(providers: JsonObject, path: string): MutableJson {
    const kept = this.keep(providers, path) as MutableJson;
    for (const [name, provider] of Object.entries(providers)) {
      if (!isJsonObject(provider)) continue;
      const { remoteJwks, localJwks } = provider;
      const text = isJsonObject(localJwks) ? localJwks.inlineString : undefined;
      // A symmetric key is a secret, and xdscope stores a marker in its place.
      const isPublic = typeof text === 'string' && !/"oct"|\[redacted/.test(text);
      if (!isPublic) {
        const field = remoteJwks === undefined ? 'localJwks' : 'remoteJwks';
        this.note(
          `${path}.${name}.${field}`,
          'replaced by a key set of the twin',
          'the keys are secret or outside of the config, so that no token of the client is accepted',
        );
      }
      const localKeys = isPublic ? localJwks : { inlineString: this.parts.options.keySet };
      kept[name] = { ...(kept[name] as MutableJson), localJwks: localKeys };
    }
    return kept;
  }
}

function isRouteFilter(type: unknown): boolean {
  return typeof type === 'string' && type.endsWith('/envoy.config.route.v3.FilterConfig');
}
