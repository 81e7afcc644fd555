import { type ClientReport, resourceKey } from '@/lib/observation/client-state';
import type { DeclaredSource, Observation, Recorded } from '@/lib/observation/observation';
import { buildEventResources, type EventResource } from '@/lib/views/history/build-event-resources';
import { buildFacts } from '@/lib/views/history/build-facts';
import { buildHistoryEvent, type HistoryEventContext } from '@/lib/views/history/build-history-event';
import { buildMessage } from '@/lib/views/history/build-message';
import type { HistoryEventQuery } from '@/lib/views/history/query';
import type { HistoryDetail, HistoryEvent, HistoryResource } from '@/lib/views/history/schema';
import type { HistoryRow } from '../../store/history-query';
import type { Recorder } from '../../store/recorder/recorder';

export interface HistoryDetailOptions {
  readonly recorder: Pick<Recorder, 'flushed' | 'stats' | 'readHistory' | 'readClientAt'>;
  /** Returns undefined if the client is not known, or no longer known. */
  readonly nodeIdOf: (clientId: string) => string | undefined;
  readonly findSource: (sourceId: string) => DeclaredSource | undefined;
  readonly isOfRemovedFile?: HistoryEventContext['isOfRemovedFile'];
  readonly signal?: AbortSignal | undefined;
}

/** Returns one event of the log in full, or undefined if the log does not contain it. */
export async function findHistoryDetail(
  options: HistoryDetailOptions,
  seq: number,
  { offset, limit }: HistoryEventQuery,
): Promise<HistoryDetail | undefined> {
  const row = await readRow(options, seq);
  if (row === undefined) return undefined;
  const observation = recordedOf(row);
  const [pairRow, isDelta, requestedNames] = await Promise.all([
    row.pairSeq === null ? undefined : readRow(options, row.pairSeq),
    readsDelta(options, observation),
    readRequestedNames(options, observation),
  ]);
  const all = buildEventResources(observation);
  const page = all.slice(offset, offset + limit);
  const { items, incomplete } = await withBefore(options, observation, page);
  return {
    event: eventOf(options, row),
    pair: pairRow === undefined ? undefined : eventOf(options, pairRow),
    message: buildMessage(observation, { isDelta, requestedNames }),
    facts: buildFacts(observation),
    resources: { items, total: all.length, offset, limit },
    incomplete,
  };
}

async function readRow(
  { recorder, signal }: HistoryDetailOptions,
  seq: number,
): Promise<HistoryRow | undefined> {
  const query = { afterSeq: seq - 1, beforeSeq: seq + 1, order: 'asc', limit: 1 } as const;
  const read = () => recorder.readHistory(query, signal);
  const [row] = await read();
  if (row !== undefined || recorder.stats().state !== 'recording') return row;
  // The event may not be written yet.
  if (seq > recorder.stats().newestSeq) await recorder.flushed();
  return (await read())[0];
}

function recordedOf({ seq, json }: HistoryRow): Recorded {
  return { ...(JSON.parse(json) as Observation), seq };
}

function eventOf(
  { nodeIdOf, findSource, isOfRemovedFile }: HistoryDetailOptions,
  row: HistoryRow,
): HistoryEvent {
  return buildHistoryEvent(recordedOf(row), {
    nodeIdOf,
    findSource,
    isOfRemovedFile,
    pairSeq: row.pairSeq ?? undefined,
    pairMs: row.pairMs ?? undefined,
  });
}

/** Returns whether the stream is incremental, by the event of its opening, or false if that is not in the log. */
async function readsDelta(
  { recorder, signal }: HistoryDetailOptions,
  observation: Recorded,
): Promise<boolean> {
  if (!('streamId' in observation) || !('typeUrl' in observation)) return false;
  const { streamId, clientId, seq } = observation;
  const kinds = ['stream-opened'] as const;
  const query = { clientId, streamId, kinds, beforeSeq: seq, order: 'desc', limit: 1 } as const;
  const [opening] = await recorder.readHistory(query, signal);
  if (opening === undefined) return false;
  const opened = recordedOf(opening);
  return opened.kind === 'stream-opened' && /delta/i.test(opened.method);
}

/** The number of earlier answers of a stream that are read at a time, and how often. */
const answersRead = 200;
const mostReads = 100;

/**
 * Returns the names that the stream requested before an ACK or NACK, or null if the log does not contain them. Each answer may
 * have changed them, so that the newest message with names is read.
 */
async function readRequestedNames(
  { recorder, signal }: HistoryDetailOptions,
  observation: Recorded,
): Promise<readonly string[] | null> {
  if (observation.kind !== 'ack-sent' && observation.kind !== 'nack-sent') return null;
  if (observation.resourceNames !== undefined) return null;
  const { clientId, streamId, typeUrl, seq } = observation;
  const kinds = ['request-sent', 'ack-sent', 'nack-sent'] as const;
  const requested = { clientId, streamId, typeUrls: [typeUrl], kinds } as const;
  let beforeSeq = seq;
  for (let read = 0; read < mostReads; read++) {
    const limit = read === 0 ? 1 : answersRead;
    const rows = await recorder.readHistory({ ...requested, beforeSeq, order: 'desc', limit }, signal);
    for (const row of rows) {
      const request = recordedOf(row);
      if ('resourceNames' in request && isFirstPart(request)) return request.resourceNames ?? null;
    }
    if (rows.length < limit) return null;
    beforeSeq = rows.at(-1)?.seq ?? 0;
  }
  return null;
}

/** Later parts of a message have no names. */
function isFirstPart({ part }: Recorded): boolean {
  return (part?.number ?? 1) === 1;
}

/** Adds to each resource with a body the previous body that the same source reported. */
async function withBefore(
  { recorder, signal }: HistoryDetailOptions,
  observation: Recorded,
  page: readonly EventResource[],
): Promise<{ readonly items: HistoryResource[]; readonly incomplete: string }> {
  const asks = page.some(
    ({ hash, change }) => hash !== undefined || change === 'removed' || change === 'rejected',
  );
  if (!asks || !('clientId' in observation)) {
    return { items: page.map((resource) => ({ ...resource, before: undefined })), incomplete: '' };
  }
  const then = await recorder.readClientAt(observation.clientId, { seq: observation.seq - 1 }, signal);
  const report = then?.client.reports.get(observation.sourceId);
  const items = page.map((resource) => ({ ...resource, before: heldBefore(report, resource) }));
  return { items, incomplete: then?.incomplete ?? '' };
}

function heldBefore(report: ClientReport | undefined, resource: EventResource): HistoryResource['before'] {
  const held = report?.resources.get(resourceKey(resource));
  if (held === undefined || held.hash === null) return undefined;
  return { hash: held.hash, versionInfo: held.versionInfo, sizeBytes: held.sizeBytes ?? undefined };
}
