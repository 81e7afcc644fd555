import { documentFacts } from './admin-document';
import type { EnvoyVersion } from './envoy-version';
import type { AdminOutcome, AdminRequest } from './request-admin';

const whole = documentFacts.config_dump;
/** Once in this many polls the whole dump is requested, because some of its parts have no time of their last change. */
const pollsPerWhole = 20;
/** Before 1.28 an unsuitable mask may crash Envoy (envoyproxy/envoy#16979, #28849). */
const firstSafeMinor = 28;
const noItems = Buffer.from('{"configs":[]}');
const wholeEachTime = 'The config dump is requested as a whole each time';

type Answer = Extract<AdminOutcome, { kind: 'answer' }>;

/** `unchanged`: the config is the same as in the previous report. */
export type ConfigOutcome =
  | { readonly kind: 'whole'; readonly answer: Answer; readonly bytesReceived: number }
  /** All endpoints; everything else is unchanged. */
  | { readonly kind: 'endpoints'; readonly parts: readonly Buffer[]; readonly bytesReceived: number }
  | { readonly kind: 'unchanged'; readonly bytesReceived: number }
  | Exclude<AdminOutcome, Answer>;

/** The SHA-256 of the answer for each section, or '' if Envoy does not have the section. */
type Digests = ReadonlyMap<string, string>;

/** The reason why an answer had no sections. */
type Unmasked = { readonly kind: 'unmasked' } | Exclude<AdminOutcome, Answer | { kind: 'rejected' }>;

interface Sections {
  readonly kind: 'sections';
  readonly digests: Digests;
  readonly parts: readonly Buffer[];
}

/**
 * Requests the config of one Envoy: by masks the versions and times of changes, and the whole dump after a change. If
 * Envoy does not serve masks, the whole dump each time.
 */
export class ConfigRequests {
  readonly #request: (request: AdminRequest) => Promise<AdminOutcome>;

  /** The digests right before the newest whole dump was requested. */
  #dated: Digests | undefined;
  /** undefined if the endpoints are the same as in that dump. */
  #endpoints: Digests | undefined;
  #pollsSinceWhole = 0;
  #bytesReceived = 0;
  /** The reason why the whole dump is requested each time. Kept until reset(). */
  #unmasked: string | undefined;
  #note: string | undefined;

  constructor(request: (request: AdminRequest) => Promise<AdminOutcome>) {
    this.#request = request;
  }

  /** A sentence that explains why the whole dump is requested each time. undefined: it is not. */
  get note(): string | undefined {
    return this.#unmasked ?? this.#note;
  }

  /** Call when another Envoy may answer: the next request is for the whole dump. */
  reset(): void {
    this.#dated = undefined;
    this.#unmasked = undefined;
  }

  /** The next request returns the endpoints, even if they are the same. */
  forgetEndpoints(): void {
    this.#endpoints = undefined;
  }

  async next(version: EnvoyVersion | undefined): Promise<ConfigOutcome> {
    this.#bytesReceived = 0;
    this.#note = findDanger(version);
    if (this.note !== undefined) return this.#requestWhole(undefined);
    // Sections are requested before the whole dump: what changes in between is found by the next poll.
    const dated = await this.#requestSections(datedSections);
    if (dated.kind === 'unmasked') return this.#requestWhole(undefined);
    if (dated.kind !== 'sections') return dated;
    this.#pollsSinceWhole += 1;
    if (this.#pollsSinceWhole >= pollsPerWhole || !isSame(this.#dated, dated.digests)) {
      return this.#requestWhole(dated.digests);
    }
    const endpoints = await this.#requestSections(endpointSections);
    if (endpoints.kind === 'unmasked') return this.#requestWhole(undefined);
    if (endpoints.kind !== 'sections') return endpoints;
    const bytesReceived = this.#bytesReceived;
    if (isSame(this.#endpoints, endpoints.digests)) return { kind: 'unchanged', bytesReceived };
    this.#endpoints = endpoints.digests;
    const parts = endpoints.parts.length > 0 ? endpoints.parts : [noItems];
    return { kind: 'endpoints', parts, bytesReceived };
  }

  async #requestWhole(dated: Digests | undefined): Promise<ConfigOutcome> {
    const outcome = await this.#count(whole);
    if (outcome.kind !== 'answer') return outcome;
    this.#dated = dated;
    this.#endpoints = undefined;
    this.#pollsSinceWhole = 0;
    return { kind: 'whole', answer: outcome, bytesReceived: this.#bytesReceived };
  }

  async #requestSections(sections: readonly ConfigSection[]): Promise<Sections | Unmasked> {
    const digests = new Map<string, string>();
    const parts: Buffer[] = [];
    for (const section of sections) {
      const { path } = section;
      const outcome = await this.#count({ path, expected: whole.expected, maxBytes: whole.maxBytes });
      if (outcome.kind === 'failed' || outcome.kind === 'aborted') return outcome;
      if (outcome.kind === 'answer' && isOfSection(outcome.bytes, section)) {
        digests.set(section.resource, outcome.hash);
        parts.push(outcome.bytes);
      } else if (outcome.kind === 'rejected' && outcome.isAbsent && reportsMissing(outcome.body, section)) {
        digests.set(section.resource, '');
      } else {
        const got = outcome.kind === 'answer' ? 'an answer with something else' : outcome.problem.message;
        this.#unmasked = `${wholeEachTime}: a request for ${section.resource} alone got ${got}.`;
        return { kind: 'unmasked' };
      }
    }
    return { kind: 'sections', digests, parts };
  }

  async #count(request: AdminRequest): Promise<AdminOutcome> {
    const outcome = await this.#request(request);
    if (outcome.kind === 'answer') this.#bytesReceived += outcome.bytes.length;
    return outcome;
  }
}

function findDanger(version: EnvoyVersion | undefined): string | undefined {
  if (version === undefined)
    return `${wholeEachTime}: this Envoy reports no version, and masks may end an old one.`;
  const { major, minor } = version;
  if (major > 1 || minor >= firstSafeMinor) return undefined;
  return `${wholeEachTime}: masks may end an Envoy before 1.${firstSafeMinor}, and this one is ${major}.${minor}.`;
}

function isSame(before: Digests | undefined, now: Digests): boolean {
  if (before === undefined) return false;
  return [...now].every(([section, digest]) => before.get(section) === digest);
}

/** A list of a config dump, as `config_dump?resource=` gives it. */
interface ConfigSection {
  /** Field of one of the dumps in envoy.admin.v3.ConfigDump. */
  readonly resource: string;
  /** The end of the type URL of its items. */
  readonly item: string;
  readonly path: string;
}

const failure = 'error_state.last_update_attempt,error_state.details,error_state.version_info';
const facts = `version_info,last_updated,client_status,${failure}`;
const state = (name: string): string => `${name}.version_info,${name}.last_updated`;
const states = ['active_state', 'warming_state', 'draining_state'].map(state).join(',');

/**
 * A mask for the versions and times of changes without the contents: a mask reaches into the one Any of an item, and
 * into no list.
 */
const masks = [
  ['dynamic_active_clusters', 'ClustersConfigDump.DynamicCluster', `cluster.name,${facts}`],
  ['dynamic_warming_clusters', 'ClustersConfigDump.DynamicCluster', `cluster.name,${facts}`],
  ['dynamic_listeners', 'ListenersConfigDump.DynamicListener', `name,${states},client_status,${failure}`],
  ['dynamic_route_configs', 'RoutesConfigDump.DynamicRouteConfig', `route_config.name,${facts}`],
  ['dynamic_scoped_route_configs', 'ScopedRoutesConfigDump.DynamicScopedRouteConfigs', `name,${facts}`],
  ['dynamic_active_secrets', 'SecretsConfigDump.DynamicSecret', `name,${facts}`],
  ['dynamic_warming_secrets', 'SecretsConfigDump.DynamicSecret', `name,${facts}`],
  ['ecds_filters', 'EcdsConfigDump.EcdsFilterConfig', `ecds_filter.name,${facts}`],
] as const;

/** Sections in which Envoy reports changes in few bytes. */
const datedSections: readonly ConfigSection[] = masks.map(([resource, item, mask]) => ({
  resource,
  item,
  path: `/config_dump?resource=${resource}&mask=${mask}`,
}));

/** Sections without versions and times: only the whole dump shows whether they changed. */
const endpointSections: readonly ConfigSection[] = [
  ['dynamic_endpoint_configs', 'EndpointsConfigDump.DynamicEndpointConfig'] as const,
  ['static_endpoint_configs', 'EndpointsConfigDump.StaticEndpointConfig'] as const,
].map(([resource, item]) => ({ resource, item, path: `/config_dump?resource=${resource}&include_eds` }));

/** Items of it and nothing else, which may be none. `{}`: a message without fields, as Envoy until 1.3x prints it. */
function isOfSection(bytes: Uint8Array, { item }: ConfigSection): boolean {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 1_000)).toString(
    'latin1',
  );
  const found = /^\s*\{\s*(?:\}\s*$|"configs"\s*:\s*\[\s*(?:\]\s*\}\s*$|\{\s*"@type"\s*:\s*"([^"]*)"))/.exec(
    start,
  );
  if (found === null) return false;
  const [, type] = found;
  return type === undefined || type.endsWith(`.${item}`);
}

/** Envoy's answer if no dump has such a list yet, as in an Envoy without a listener that routes. */
function reportsMissing(body: Uint8Array, { resource }: ConfigSection): boolean {
  return Buffer.from(body).toString('latin1').trim() === `${resource} not found in config dump`;
}
