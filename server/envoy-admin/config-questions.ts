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
/** After so many polls the whole is asked for, whatever the parts say: some of it reports no time of its own. */
const pollsPerWhole = 20;
/** Before 1.28 a mask that does not fit may end Envoy (envoyproxy/envoy#16979, #28849). */
const firstSafeMinor = 28;

const noItems = Buffer.from('{"configs":[]}');
const wholeEachTime = 'The config dump is asked for as a whole each time';

type Answer = Extract<AdminAsked, { kind: 'answer' }>;

/** `unchanged`: it is all as it was reported before. */
export type ConfigAsked =
  | { readonly kind: 'whole'; readonly answer: Answer; readonly bytesAsked: number }
  /** All endpoints; the rest is as it was. */
  | { readonly kind: 'endpoints'; readonly parts: readonly Buffer[]; readonly bytesAsked: number }
  | { readonly kind: 'unchanged'; readonly bytesAsked: number }
  | Exclude<AdminAsked, Answer>;

/** By section: SHA-256 of what it answered, '' for what Envoy has not. */
type Digests = ReadonlyMap<string, string>;

/** What came instead of sections. */
type Unserved = { readonly kind: 'unserved' } | Exclude<AdminAsked, Answer | { kind: 'rejected' }>;

interface Sections {
  readonly kind: 'sections';
  readonly digests: Digests;
  readonly parts: readonly Buffer[];
}

/**
 * Asks one Envoy for its config: who changed when, by masks, and for the whole when something did. Where Envoy does not
 * serve masks, for the whole each time.
 */
export class ConfigQuestions {
  /** As they were right before the whole that was answered last. */
  private dated: Digests | undefined;
  /** undefined: endpoints are as in that whole. */
  private endpoints: Digests | undefined;
  private pollsSinceWhole = 0;
  private bytesAsked = 0;
  /** Why the whole is asked for each time: what came instead of a section; kept until the reset. */
  private unserved: string | undefined;
  #note: string | undefined;

  constructor(private readonly ask: (question: AdminQuestion) => Promise<AdminAsked>) {}

  /** Why the whole is asked for each time, in words; undefined: it is not. */
  get note(): string | undefined {
    return this.unserved ?? this.#note;
  }

  /** It may be another Envoy: the next question is for the whole. */
  reset(): void {
    this.dated = undefined;
    this.unserved = undefined;
  }

  async next(version: EnvoyVersion | undefined): Promise<ConfigAsked> {
    this.bytesAsked = 0;
    this.#note = findDanger(version);
    if (this.note !== undefined) return this.askWhole(undefined);
    // Before the whole: what changes between the two is found by the next poll.
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
