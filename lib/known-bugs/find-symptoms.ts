import { by } from '../collections/compare';
import { resourceKey } from '../observation/client-state';
import type { ReceivedResource, Recorded } from '../observation/observation';
import type { ResourceRow } from '../observation/resource-row';
import type { ResourceKey } from '../observation/resource-state';
import { EDS, LDS, RDS } from '../xds/resource-type';
import type { EpochMs } from '../xds/units';
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

/**
 * A listener was deleted and added again, and no route configuration that it names has had other content since it was
 * deleted. Each source is read by itself, because a poll reports later than a tap.
 */
export async function findReaddedListener({ history, findRoutes }: Evidence): Promise<Symptom | undefined> {
  const held = new Set<string>();
  const deletedSeqs = new Map<string, number>();
  const readded = new Map<string, { sourceId: string; name: string; since: EpochMs; deletedSeq: number }>();
  const routes = new Map<string, { hash: string; changedSeq: number }>();
  for (const observation of history) {
    const { sourceId, seq, at: since } = observation;
    for (const { typeUrl, name, clientStatus, hash } of changedOf(observation)) {
      const id = `${sourceId} ${name}`;
      const isAcked = clientStatus === 'ACKED' && hash !== null;
      if (typeUrl === RDS.typeUrl && isAcked && routes.get(id)?.hash !== hash) {
        routes.set(id, { hash, changedSeq: seq });
      }
      if (typeUrl !== LDS.typeUrl) continue;
      // One that the client never held was not deleted. These releases keep the payload of a deleted one.
      if (hash !== null) held.add(id);
      if (clientStatus === 'DOES_NOT_EXIST' && held.has(id)) {
        deletedSeqs.set(id, seq);
        readded.delete(id);
      }
      const deletedSeq = deletedSeqs.get(id);
      if (isAcked && deletedSeq !== undefined && !readded.has(id)) {
        readded.set(id, { sourceId, name, since, deletedSeq });
      }
    }
    for (const { name } of removedRoutes(observation)) routes.delete(`${sourceId} ${name}`);
  }
  const found = new Map<string, EpochMs>();
  for (const { sourceId, name, since, deletedSeq } of readded.values()) {
    const named = await findRoutes(name);
    const changedSeqs = named.map((route) => routes.get(`${sourceId} ${route}`)?.changedSeq ?? 0);
    if (named.length > 0 && changedSeqs.every((seq) => seq < deletedSeq)) found.set(name, since);
  }
  if (found.size === 0) return undefined;
  const resources = [...found.keys()].map((name) => ({ typeUrl: LDS.typeUrl, name }));
  return { since: Math.min(...found.values()), resources };
}

/**
 * A listener has other content than it had when a route configuration that it names changed last, and no cluster and no
 * endpoints have changed since. Each source is read by itself, because a poll reports later than a tap.
 */
export async function findUnusedUpdate({
  history,
  findRoutes,
  findReached,
}: Evidence): Promise<Symptom | undefined> {
  const listeners = new Map<string, ListenerVersion[]>();
  const contents = new Map<string, { hash: string; changedSeq: number }>();
  for (const observation of history) {
    const { sourceId, seq, at } = observation;
    for (const { typeUrl, name, clientStatus, hash } of changedOf(observation)) {
      if (typeUrl === LDS.typeUrl) {
        const id = `${sourceId} ${name}`;
        const versions = listeners.get(id) ?? [];
        listeners.set(id, versions);
        // A listener that is deleted begins anew.
        if (hash === null) versions.length = 0;
        else if (versions.at(-1)?.hash !== hash) versions.push({ sourceId, name, hash, seq, at });
        continue;
      }
      const id = `${sourceId} ${typeUrl} ${name}`;
      if (clientStatus !== 'ACKED' || hash === null || contents.get(id)?.hash === hash) continue;
      contents.set(id, { hash, changedSeq: seq });
    }
  }
  const found = new Map<string, EpochMs>();
  for (const versions of listeners.values()) {
    const last = versions.at(-1);
    if (last === undefined || versions.length === 1) continue;
    const { sourceId, name, hash } = last;
    const named = await findRoutes(name);
    const seqs = named.map((route) => contents.get(`${sourceId} ${RDS.typeUrl} ${route}`)?.changedSeq ?? 0);
    const usedSeq = Math.max(0, ...seqs);
    // The version in use when the routes changed last, or the first one.
    const used = versions.findLast(({ seq }) => seq <= usedSeq) ?? versions[0];
    if (named.length === 0 || used?.hash === hash) continue;
    // Clusters of other targets in the process do not change what this one uses.
    const reached = await findReached(named);
    const isLater = reached.some(
      ({ typeUrl, name: of }) => (contents.get(`${sourceId} ${typeUrl} ${of}`)?.changedSeq ?? 0) > last.seq,
    );
    if (!isLater) found.set(name, last.at);
  }
  if (found.size === 0) return undefined;
  const resources = [...found.keys()].map((name) => ({ typeUrl: LDS.typeUrl, name }));
  return { since: Math.min(...found.values()), resources };
}

interface ListenerVersion {
  readonly sourceId: string;
  readonly name: string;
  readonly hash: string;
  readonly seq: number;
  readonly at: EpochMs;
}

function removedRoutes(observation: Recorded): readonly ResourceKey[] {
  if (!('removed' in observation)) return [];
  return observation.removed.filter(({ typeUrl }) => typeUrl === RDS.typeUrl);
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
  return symptoms.sort(by(({ since }) => since))[0];
}

/** A server that is restarted ends one stream at a moment when a response is not answered. */
const minStreamsWithoutAnswer = 2;

/** CSDS reports an earlier payload than the one that the client ACKed on the wire, also when it was polled later. */
export function findUnreportedAck({ rows, history, findLastSeen }: Evidence): Symptom | undefined {
  const responses = new Map<string, readonly ReceivedResource[]>();
  const acked = new Map<string, Acked>();
  for (const each of history) {
    if (each.kind === 'response-received') responses.set(`${each.streamId} ${each.nonce}`, each.resources);
    if (each.kind !== 'ack-sent' && each.kind !== 'nack-sent') continue;
    for (const { name, hash } of responses.get(`${each.streamId} ${each.nonce}`) ?? []) {
      const key = resourceKey({ typeUrl: each.typeUrl, name });
      const before = acked.get(key);
      // The valid resources of a rejected response can take effect.
      if (each.kind === 'nack-sent') acked.delete(key);
      else if (before?.hash !== hash) acked.set(key, { hash, at: each.at, earlier: hashesOf(before) });
    }
  }
  const unreported = rows.flatMap((row) => {
    const ack = acked.get(resourceKey(row));
    const { effect } = row;
    if (ack === undefined || effect?.evidence !== 'csds' || effect.hash === null) return [];
    if (effect.hash === ack.hash || !ack.earlier.has(effect.hash)) return [];
    const polledAt = findLastSeen(effect.sourceId) ?? 0;
    return polledAt - ack.at > slowestPollMs ? [{ ...keyOf(row), since: ack.at }] : [];
  });
  if (unreported.length === 0) return undefined;
  return { since: Math.min(...unreported.map(({ since }) => since)), resources: unreported.map(keyOf) };
}

/** The newest payload of a resource that the client ACKed, and the hashes of those before. */
interface Acked {
  readonly hash: string;
  readonly at: EpochMs;
  readonly earlier: ReadonlySet<string>;
}

const hashesOf = (ack: Acked | undefined): ReadonlySet<string> =>
  new Set(ack === undefined ? [] : [...ack.earlier, ack.hash]);

/** A poll that was under way when the client answered can report what was in effect before. */
const slowestPollMs = 2_000;

/** The client has NACKED resources of a type of which it sent many NACKs within a second. */
export function findNackStorm({ rows, history }: Evidence): Symptom | undefined {
  const times = new Map<string, EpochMs[]>();
  for (const observation of history) {
    if (observation.kind !== 'nack-sent') continue;
    const { typeUrl, at, repeats = 1 } = observation;
    const own = Array.from({ length: Math.min(repeats, nacksOfStorm) }, () => at);
    const newest = [...(times.get(typeUrl) ?? []), ...own].slice(-nacksOfStorm);
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

/** One xDS stream of a client, as its observations describe it. */
interface ReadStream {
  readonly streamId: string;
  readonly server: string;
  readonly openedSeq: number;
  /** null: it is open. */
  closed: { readonly at: EpochMs; readonly seq: number } | null;
  /** The newest names that were requested, by type. A type that is only requested as a whole is absent. */
  readonly requested: Map<string, ReadonlySet<string>>;
  /** The response that was not answered, by type. */
  readonly pending: Map<string, { readonly nonce: string; readonly at: EpochMs; readonly names: string[] }>;
}

/** The streams whose opening is in the history, in that order. State of the world: a request names all resources. */
function readStreams(history: readonly Recorded[]): ReadStream[] {
  const streams = new Map<string, ReadStream>();
  for (const observation of history) {
    if (observation.kind === 'stream-opened') {
      const { streamId, server, seq } = observation;
      streams.set(streamId, {
        ...{ streamId, server, openedSeq: seq, closed: null },
        ...{ requested: new Map(), pending: new Map() },
      });
    }
    const stream = 'streamId' in observation ? streams.get(observation.streamId) : undefined;
    if (stream !== undefined) addTo(stream, observation);
  }
  return [...streams.values()];
}

/** The resources that the stream requests by name. */
function requestedKeys({ requested }: ReadStream): ResourceKey[] {
  return [...requested].flatMap(([typeUrl, names]) => [...names].map((name) => ({ typeUrl, name })));
}

/** MUTATES `stream`. */
function addTo(stream: ReadStream, observation: Recorded): void {
  switch (observation.kind) {
    case 'stream-closed':
      stream.closed = { at: observation.at, seq: observation.seq };
      return;
    case 'request-sent':
      readNames(stream, observation);
      return;
    case 'response-received': {
      const { typeUrl, nonce, at, resources } = observation;
      stream.pending.set(typeUrl, { nonce, at, names: resources.map(({ name }) => name) });
      return;
    }
    case 'ack-sent':
    case 'nack-sent': {
      const { typeUrl, nonce } = observation;
      readNames(stream, observation);
      if (stream.pending.get(typeUrl)?.nonce === nonce) stream.pending.delete(typeUrl);
      return;
    }
  }
}

type Request = Extract<Recorded, { readonly kind: 'request-sent' | 'ack-sent' | 'nack-sent' }>;

/**
 * Only the first part of a message has its names. A client that ends a stream may first send requests without names: those
 * from before remain. MUTATES `stream`.
 */
function readNames({ requested }: ReadStream, { typeUrl, resourceNames, part }: Request): void {
  if (resourceNames !== undefined && resourceNames.length > 0 && (part?.number ?? 1) === 1)
    requested.set(typeUrl, new Set(resourceNames));
}
