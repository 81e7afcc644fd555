import type { ReportedClients } from '../codec/codec';
import type { ReportedNews } from '../poll-diff/apply-news';
import { bodiesOf } from '../poll-diff/bodies-of';
import { type CompareOptions, compareAnswers } from '../poll-diff/compare-answers';
import type { KnownClients } from '../poll-diff/known-clients';
import { isSameApartFromContents } from './same-apart-from-contents';

export interface AnswerRequest {
  /** Was the question asked with exclude_resource_contents? */
  readonly excludesContents: boolean;
  readonly compare: CompareOptions;
}

/** What a complete answer reports that was not known. */
export interface CompleteNews extends ReportedNews {
  readonly kind: 'complete';
  /** How many clients the answer names beyond those that are admitted. */
  readonly notAdmitted: number;
  readonly duplicates: readonly string[];
  /** What was odd, in words. */
  readonly notes: readonly string[];
}

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
  const { observations, next, named, notAdmitted, duplicates } = compareAnswers(
    known,
    reported.clients,
    compare,
  );
  const bodies =
    observations.length === 0 ? new Map() : new Map(reported.bodies.map((body) => [body.hash, body]));
  const emissions = observations.map((observation) => ({
    observation,
    bodies: bodiesOf(observation, bodies),
  }));
  return {
    news: { kind: 'complete', emissions, named, notAdmitted, duplicates, notes: reported.notes },
    next,
  };
}

function hasContents({ resources }: ReportedClients['clients'][number]): boolean {
  return resources.some(({ hash }) => hash !== null);
}
