import { documentFacts } from './admin-document';
import {
  type ConfigSection,
  datedSections,
  endpointSections,
  isOfSection,
  reportsMissing,
} from './config-section';
import type { EnvoyVersion } from './envoy-version';
import type { AdminOutcome, AdminRequest } from './request-admin';

const whole = documentFacts.config_dump;
/** Once in so many polls the whole dump is requested, because some of its parts have no time of their last change. */
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

/** By section: SHA-256 of the answer, or '' if Envoy does not have the section. */
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
  /** Why the whole dump is requested each time. Kept until reset(). */
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
