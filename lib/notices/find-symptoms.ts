import type { Recorded } from '../observation/observation';
import type { ResourceRow } from '../observation/resource-row';
import type { ResourceKey } from '../observation/resource-state';
import { EDS, LDS } from '../xds/resource-type';
import type { EpochMs } from '../xds/units';
import { type ReadStream, readStreams, requestedKeys } from './read-streams';
import type { Evidence, Symptom } from './symptom';

/**
 * A stream to another server took over the listeners of a stream that then ended, and requests nothing else: the rest of
 * what the ended stream requested has no subscription.
 */
export function findLostSubscriptions({ history }: Evidence): Symptom | undefined {
  const streams = readStreams(history);
  const lost = streams.flatMap((ended) => {
    const { closed } = ended;
    if (closed === null || !streams.some((open) => hasTakenListeners(open, ended, closed.seq))) return [];
    const resources = requestedKeys(ended).filter(({ typeUrl }) => typeUrl !== LDS.typeUrl);
    return resources.length === 0 ? [] : [{ since: closed.at, resources }];
  });
  return lost.at(-1);
}

function hasTakenListeners(open: ReadStream, ended: ReadStream, closedSeq: number): boolean {
  const isSuccessor = open.closed === null && open.server !== ended.server && open.openedSeq < closedSeq;
  if (!isSuccessor || open.requested.size !== 1) return false;
  const listeners = open.requested.get(LDS.typeUrl);
  return [...(ended.requested.get(LDS.typeUrl) ?? [])].some((name) => listeners?.has(name) === true);
}

/** An EDS resource is NACKED while an earlier one is in effect, and no later response updated any resource. */
export function findStuckStream({ rows }: Evidence): Symptom | undefined {
  const rejected = rows.find(
    ({ typeUrl, errorState, effect }) =>
      typeUrl === EDS.typeUrl && errorState?.lastUpdateAttempt != null && effect?.hash != null,
  );
  const since = rejected?.errorState?.lastUpdateAttempt ?? null;
  if (rejected === undefined || since === null) return undefined;
  // The valid resources of the rejected response are accepted.
  const isOfResponse = (row: ResourceRow) =>
    row.typeUrl === EDS.typeUrl && row.versionInfo === rejected.errorState?.versionInfo;
  if (rows.some((row) => (row.lastUpdated ?? 0) > since && !isOfResponse(row))) return undefined;
  const unanswered = rows.filter((row) => row.unanswered !== undefined && row !== rejected);
  return { since, resources: [rejected, ...unanswered].map(keyOf) };
}

/** A listener was deleted, and added again with the payload that it had before. */
export function findReaddedListener({ history }: Evidence): Symptom | undefined {
  const readded = new Map<string, { readonly since: EpochMs; readonly key: ResourceKey }>();
  const held = new Map<string, { hash: string; isDeleted: boolean }>();
  for (const observation of history) {
    for (const { typeUrl, name, clientStatus, hash } of changedOf(observation)) {
      if (typeUrl !== LDS.typeUrl) continue;
      const id = `${observation.sourceId} ${name}`;
      const before = held.get(id);
      if (clientStatus === 'DOES_NOT_EXIST') {
        if (before !== undefined) before.isDeleted = true;
        readded.delete(name);
      }
      if (clientStatus !== 'ACKED' || hash === null) continue;
      held.set(id, { hash, isDeleted: false });
      if (before?.hash !== hash) readded.delete(name);
      else if (before.isDeleted) readded.set(name, { since: observation.at, key: { typeUrl, name } });
    }
  }
  const found = [...readded.values()];
  return found.length === 0
    ? undefined
    : { since: Math.min(...found.map(({ since }) => since)), resources: found.map(({ key }) => key) };
}

function changedOf(observation: Recorded) {
  return 'changed' in observation ? observation.changed : [];
}

/** The newest streams ended, one after the other, without an answer to a response of the same type. */
export function findStreamsWithoutAnswer({ history }: Evidence): Symptom | undefined {
  const ended = readStreams(history).filter(({ closed }) => closed !== null);
  const symptoms = [...(ended.at(-1)?.pending ?? [])].flatMap(([typeUrl, { names }]): Symptom[] => {
    const first = ended.findLastIndex(({ pending }) => !pending.has(typeUrl)) + 1;
    const since = ended[first]?.pending.get(typeUrl)?.at;
    if (since === undefined || ended.length - first < minStreamsWithoutAnswer) return [];
    const isAccepted = history.some(
      (each) => each.kind === 'ack-sent' && each.typeUrl === typeUrl && each.at > since,
    );
    return isAccepted ? [] : [{ since, resources: names.map((name) => ({ typeUrl, name })) }];
  });
  // The responses of other types remain unanswered because of the first one.
  return symptoms.sort((a, b) => a.since - b.since)[0];
}

/** A server that is restarted ends one stream at a moment when a response is not answered. */
const minStreamsWithoutAnswer = 2;

/** The client has NACKED resources of a type of which it sent many NACKs within a second. */
export function findNackStorm({ rows, history }: Evidence): Symptom | undefined {
  const times = new Map<string, EpochMs[]>();
  for (const observation of history) {
    if (observation.kind !== 'nack-sent') continue;
    const { typeUrl, at } = observation;
    const newest = [...(times.get(typeUrl) ?? []), at].slice(-nacksOfStorm);
    times.set(typeUrl, newest);
    const [oldest = at] = newest;
    if (newest.length < nacksOfStorm || at - oldest > 1_000) continue;
    const resources = rows.filter((row) => row.typeUrl === typeUrl && row.clientStatus === 'NACKED');
    if (resources.length > 0) return { since: oldest, resources: resources.map(keyOf) };
  }
  return undefined;
}

/** Control planes that wait before they answer a NACK cause a few in a second. */
const nacksOfStorm = 20;

function keyOf({ typeUrl, name }: ResourceKey): ResourceKey {
  return { typeUrl, name };
}
