import type { Observation } from '@/lib/observation/observation';
import type { ReportedClients } from '../codec/codec';
import type { Body, Sighting } from '../observe';
import { type CompareOptions, compareAnswers, type KnownClients } from './compare-answers';
import { isSameApartFromContents } from './same-apart-from-contents';

export interface AnswerRequest {
  /** Was the question asked with exclude_resource_contents? */
  readonly excludesContents: boolean;
  readonly compare: CompareOptions;
}

/** What a complete answer tells that was not known. */
export interface CompleteNews {
  readonly kind: 'complete';
  readonly sightings: readonly (Sighting & { readonly observation: ConfigNews })[];
  /** Ids of the clients that the answer names. */
  readonly named: readonly string[];
  readonly duplicates: readonly string[];
  /** What was odd, in words. */
  readonly notes: readonly string[];
}
export type ConfigNews = Extract<Observation, { kind: 'client-config-changed' | 'client-gone' }>;

/** `same` and `different` are of answers without contents: the latter must be asked for in full. */
export type AnswerNews = CompleteNews | { readonly kind: 'same' } | { readonly kind: 'different' };

/** One answer against what was known, wherever it happens: pure. `next` is what is known after it. */
export function readAnswer(
  known: KnownClients,
  reported: ReportedClients,
  { excludesContents, compare }: AnswerRequest,
): { readonly news: AnswerNews; readonly next: KnownClients } {
  if (excludesContents && !reported.clients.some(hasContents)) {
    const isSame = isSameApartFromContents(known, reported.clients);
    return { news: { kind: isSame ? 'same' : 'different' }, next: known };
  }
  const { observations, next, named, duplicates } = compareAnswers(known, reported.clients, compare);
  const bodies =
    observations.length === 0 ? new Map() : new Map(reported.bodies.map((body) => [body.hash, body]));
  const sightings = observations.map((observation) => ({
    observation,
    bodies: bodiesOf(observation, bodies),
  }));
  return { news: { kind: 'complete', sightings, named, duplicates, notes: reported.notes }, next };
}

function hasContents({ resources }: ReportedClients['clients'][number]): boolean {
  return resources.some(({ hash }) => hash !== null);
}

/** The bodies that an observation names, as copies: a view would keep the whole answer in memory. */
function bodiesOf(observation: ConfigNews, bodies: ReadonlyMap<string, Body>): Body[] {
  if (observation.kind !== 'client-config-changed') return [];
  const named = new Map<string, Body>();
  for (const { hash, errorState } of observation.changed) {
    for (const wanted of [hash, errorState?.failedHash]) {
      const body = wanted ? bodies.get(wanted) : undefined;
      if (body !== undefined && !named.has(body.hash)) {
        named.set(body.hash, { ...body, bytes: new Uint8Array(body.bytes) });
      }
    }
  }
  return [...named.values()];
}
