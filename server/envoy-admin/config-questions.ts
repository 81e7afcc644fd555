import { documentFacts } from './admin-document';
import type { AdminAsked, AdminQuestion } from './ask-admin';
import {
  type ConfigSection,
  datedSections,
  endpointSections,
  isOfSection,
  saysNoSuch,
} from './config-section';
import type { EnvoyVersion } from './envoy-version';

const whole = documentFacts.config_dump;
/** Once in so many polls the whole dump is requested, because some of its parts have no time of their last change. */
const pollsPerWhole = 20;
/** Before 1.28 an unsuitable mask may crash Envoy (envoyproxy/envoy#16979, #28849). */
const firstSafeMinor = 28;

const noItems = Buffer.from('{"configs":[]}');
const wholeEachTime = 'The config dump is asked for as a whole each time';

type Answer = Extract<AdminAsked, { kind: 'answer' }>;

/** `unchanged`: the config is the same as in the previous report. */
export type ConfigAsked =
  | { readonly kind: 'whole'; readonly answer: Answer; readonly bytesAsked: number }
  /** All endpoints; everything else is unchanged. */
  | { readonly kind: 'endpoints'; readonly parts: readonly Buffer[]; readonly bytesAsked: number }
  | { readonly kind: 'unchanged'; readonly bytesAsked: number }
  | Exclude<AdminAsked, Answer>;

/** By section: SHA-256 of the answer, or '' if Envoy does not have the section. */
type Digests = ReadonlyMap<string, string>;

/** The reason why an answer had no sections. */
type Unserved = { readonly kind: 'unserved' } | Exclude<AdminAsked, Answer | { kind: 'rejected' }>;

interface Sections {
  readonly kind: 'sections';
  readonly digests: Digests;
  readonly parts: readonly Buffer[];
}

/**
 * Requests the config of one Envoy: by masks the versions and times of changes, and the whole dump after a change. If
 * Envoy does not serve masks, the whole dump each time.
 */
export class ConfigQuestions {
  /** The digests right before the newest whole dump was requested. */
  private dated: Digests | undefined;
  /** undefined if the endpoints are the same as in that dump. */
  private endpoints: Digests | undefined;
  private pollsSinceWhole = 0;
  private bytesAsked = 0;
  /** Why the whole dump is requested each time. Kept until reset(). */
  private unserved: string | undefined;
  #note: string | undefined;

  constructor(private readonly ask: (question: AdminQuestion) => Promise<AdminAsked>) {}

  /** A sentence that explains why the whole dump is requested each time. undefined: it is not. */
  get note(): string | undefined {
    return this.unserved ?? this.#note;
  }

  /** Call when another Envoy may answer: the next request is for the whole dump. */
  reset(): void {
    this.dated = undefined;
    this.unserved = undefined;
  }

  async next(version: EnvoyVersion | undefined): Promise<ConfigAsked> {
    this.bytesAsked = 0;
    this.#note = findDanger(version);
    if (this.note !== undefined) return this.askWhole(undefined);
    // Sections are requested before the whole dump: what changes in between is found by the next poll.
    const dated = await this.askSections(datedSections);
    if (dated.kind === 'unserved') return this.askWhole(undefined);
    if (dated.kind !== 'sections') return dated;
    this.pollsSinceWhole += 1;
    if (this.pollsSinceWhole >= pollsPerWhole || !isSame(this.dated, dated.digests)) {
      return this.askWhole(dated.digests);
    }
    const endpoints = await this.askSections(endpointSections);
    if (endpoints.kind === 'unserved') return this.askWhole(undefined);
    if (endpoints.kind !== 'sections') return endpoints;
    const { bytesAsked } = this;
    if (isSame(this.endpoints, endpoints.digests)) return { kind: 'unchanged', bytesAsked };
    this.endpoints = endpoints.digests;
    const parts = endpoints.parts.length > 0 ? endpoints.parts : [noItems];
    return { kind: 'endpoints', parts, bytesAsked };
  }

  private async askWhole(dated: Digests | undefined): Promise<ConfigAsked> {
    const asked = await this.count(whole);
    if (asked.kind !== 'answer') return asked;
    this.dated = dated;
    this.endpoints = undefined;
    this.pollsSinceWhole = 0;
    return { kind: 'whole', answer: asked, bytesAsked: this.bytesAsked };
  }

  private async askSections(sections: readonly ConfigSection[]): Promise<Sections | Unserved> {
    const digests = new Map<string, string>();
    const parts: Buffer[] = [];
    for (const section of sections) {
      const { path } = section;
      const asked = await this.count({ path, expected: whole.expected, maxBytes: whole.maxBytes });
      if (asked.kind === 'failed' || asked.kind === 'aborted') return asked;
      if (asked.kind === 'answer' && isOfSection(asked.bytes, section)) {
        digests.set(section.resource, asked.hash);
        parts.push(asked.bytes);
      } else if (asked.kind === 'rejected' && asked.isAbsent && saysNoSuch(asked.body, section)) {
        digests.set(section.resource, '');
      } else {
        const got = asked.kind === 'answer' ? 'it answers with something else' : asked.problem.message;
        this.unserved = `${wholeEachTime}: asked for ${section.resource} alone, ${got}.`;
        return { kind: 'unserved' };
      }
    }
    return { kind: 'sections', digests, parts };
  }

  private async count(question: AdminQuestion): Promise<AdminAsked> {
    const asked = await this.ask(question);
    if (asked.kind === 'answer') this.bytesAsked += asked.bytes.length;
    return asked;
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
