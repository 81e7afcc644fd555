import type { HistoryEvent } from './schema';

/** One row: what happened, as the first source reported it, with the reports of other sources. */
export interface HistoryFact extends HistoryEvent {
  /** Reports of the same by other sources, oldest first. */
  readonly others: readonly HistoryEvent[];
}

interface OpenFact {
  readonly event: HistoryEvent;
  readonly at: number;
  readonly others: HistoryEvent[];
}

/** Polls report what happened within some intervals. */
const nearMs = 30_000;

/**
 * Joins the events by which several sources report the same fact: the same kind of event of the same client with the same
 * content, or an answer on a stream and the polls that report its effect. What one source reports twice is two facts.
 * `events` and the result are newest first.
 */
export function groupFacts(events: readonly HistoryEvent[]): HistoryFact[] {
  const facts: OpenFact[] = [];
  const same = new Map<string, OpenFact>();
  const answers = new Map<string, OpenFact>();
  for (const event of events.toReversed()) {
    const at = event.at;
    const key = keyOf(event);
    const answerKey = JSON.stringify([event.clientId, event.typeUrl]);
    const answer = isPollOfType(event) ? answers.get(answerKey) : undefined;
    const found = [
      answer !== undefined && isEffectOf(event, answer.event) ? answer : undefined,
      key === null ? undefined : same.get(key),
    ].find((fact) => fact !== undefined && at - fact.at <= nearMs && !isReportedBy(fact, event.sourceId));
    if (found !== undefined) {
      found.others.push(event);
      continue;
    }
    const fact: OpenFact = { event, at, others: [] };
    facts.push(fact);
    if (key !== null) same.set(key, fact);
    if (event.kind === 'ack-sent' || event.kind === 'nack-sent') answers.set(answerKey, fact);
  }
  return facts.reverse().map(({ event, others }) => ({ ...event, others }));
}

function isPollOfType({ kind, clientId, typeUrl }: HistoryEvent): boolean {
  return kind === 'client-config-changed' && clientId !== undefined && typeUrl !== undefined;
}

/** istiod reports the nonces of a whole type, whose row has an empty name. */
function isEffectOf(poll: HistoryEvent, answer: HistoryEvent): boolean {
  const { names, nameCount, changed, removed, isTrouble } = poll;
  if (nameCount === 1 && names[0] === '') return true;
  return (
    nameCount === answer.nameCount &&
    names.every((name) => answer.names.includes(name)) &&
    changed === answer.changed &&
    removed === answer.removed &&
    isTrouble === answer.isTrouble
  );
}

function isReportedBy({ event, others }: OpenFact, sourceId: string): boolean {
  return event.sourceId === sourceId || others.some((other) => other.sourceId === sourceId);
}

/** null: an event of a source itself. */
function keyOf(event: HistoryEvent): string | null {
  const { kind, clientId, typeUrl, versionInfo, nonce, names, nameCount, changed, removed, errorText } =
    event;
  if (clientId === undefined) return null;
  const content = [typeUrl, versionInfo, nonce, names, nameCount, changed, removed, errorText];
  return JSON.stringify([kind, clientId, ...content, kind === 'load-reported' ? event.text : null]);
}
