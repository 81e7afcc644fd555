import { formatCounted } from '../../format/count';
import { formatDuration } from '../../format/duration';
import { describeStep } from '../../interop/describe-step';
import {
  describeBlock,
  describeConfiguration,
  describeCounts,
  describeServing,
} from '../../interop/describe-test-client';
import type { ConnectionChanges } from '../../observation/connection';
import type { DeclaredSource, NackSent, Observation, Recorded } from '../../observation/observation';
import { facetsOf } from '../../observation/observation-facets';
import { loadReportMethod } from '../../xds/load-report-method';
import { findResourceType, formatResourceType } from '../../xds/resource-type';
import { isTrouble } from '../../xds/status';
import type { HistoryEvent } from './schema';

export type ClientObservation = Extract<Observation, { readonly clientId: string }>;

export interface HistoryEventContext {
  /** Returns the client's node id; undefined if it is not known (any longer). */
  readonly nodeIdOf: (clientId: string) => string | undefined;
  readonly findSource: (sourceId: string) => DeclaredSource | undefined;
  /** Returns true if the client came from a file that was removed since. Absent if no file was. */
  readonly isOfRemovedFile?: (observation: ClientObservation) => boolean;
  readonly pairSeq: number | undefined;
  /** Milliseconds between the two of a pair, used if the observation does not report them. */
  readonly pairMs: number | undefined;
}

const namesShown = 5;
const errorChars = 300;

export function buildHistoryEvent(observation: Recorded, context: HistoryEventContext): HistoryEvent {
  const facets = facetsOf(observation);
  const clientId = 'clientId' in observation ? observation.clientId : undefined;
  const typeUrl = facets.typeUrls.length === 1 ? facets.typeUrls[0] : undefined;
  const names = [...new Set(facets.names)];
  return {
    seq: observation.seq,
    at: observation.at,
    kind: observation.kind,
    vantage: observation.vantage,
    sourceId: observation.sourceId,
    sourceKind: context.findSource(observation.sourceId)?.kind,
    clientId,
    nodeId: clientId === undefined ? undefined : (nodeIdIn(observation) ?? context.nodeIdOf(clientId)),
    streamId: facets.streamId ?? undefined,
    method: observation.kind === 'stream-opened' ? observation.method : undefined,
    typeUrl,
    service: typeUrl === undefined ? undefined : formatResourceType(typeUrl),
    versionInfo: versionOf(observation),
    nonce: facets.nonce ?? undefined,
    errorText: facets.errors[0]?.slice(0, errorChars),
    names: names.slice(0, namesShown),
    nameCount: names.length,
    changed: 'changed' in observation ? observation.changed.length : 0,
    removed: removedCount(observation),
    sizeBytes: observation.kind === 'response-received' ? observation.sizeBytes : undefined,
    tookMs: facets.tookMs ?? (isAnswer(observation) ? context.pairMs : undefined),
    pairSeq: context.pairSeq,
    repeats: 'repeats' in observation ? (observation.repeats ?? 1) : 1,
    text: describe(observation, names),
    isTrouble: isTroubled(observation),
    ...('clientId' in observation &&
      context.isOfRemovedFile?.(observation) === true && { ofRemovedFile: true as const }),
  };
}

/** Rows that the event removes, or the removed_resources of a delta response. */
function removedCount(observation: Observation): number {
  if (observation.kind === 'response-received') return observation.removedNames?.length ?? 0;
  return 'changed' in observation ? observation.removed.length : 0;
}

function nodeIdIn(observation: Observation): string | undefined {
  return 'node' in observation ? observation.node?.id : undefined;
}

/** Returns true if `pairMs` is the time since the response; for a response, it is the time since its request. */
function isAnswer({ kind }: Observation): boolean {
  return kind === 'ack-sent' || kind === 'nack-sent';
}

function versionOf(observation: Observation): string | undefined {
  switch (observation.kind) {
    case 'nack-sent':
      return observation.rejectedVersion || undefined;
    case 'request-sent':
    case 'response-received':
    case 'ack-sent':
      return observation.versionInfo || undefined;
    default:
      return undefined;
  }
}

function isTroubled(observation: Observation): boolean {
  switch (observation.kind) {
    case 'nack-sent':
    case 'source-down':
    case 'copies-dropped':
    case 'client-gone':
      return true;
    case 'stream-closed':
      return !observation.hadResponse;
    case 'server-switched':
      return observation.direction === 'fallback';
    case 'interop-step':
      return observation.outcome === 'fails';
    case 'lab-event':
      return observation.what === 'client-crashed';
    default:
      return 'changed' in observation && observation.changed.some((row) => isTrouble(row.clientStatus));
  }
}

function describe(observation: Recorded, names: readonly string[]): string {
  switch (observation.kind) {
    case 'source-declared':
      return `source of kind ${observation.source.kind} at ${observation.source.target}`;
    case 'source-up':
      return `${observation.sourceId} answers`;
    case 'source-down':
      return `${observation.sourceId}: ${observation.problem.message}`;
    case 'client-config-changed':
      return `config reported: ${describeRows(observation)}`;
    case 'client-gone':
      return observation.reason;
    case 'stream-opened':
      return `${observation.method === loadReportMethod ? 'stream of load reports' : 'stream'} opened to ${observation.server}`;
    case 'stream-closed':
      return `stream ended: ${observation.code}${observation.details === '' ? '' : ` (${observation.details})`}`;
    case 'request-sent':
      return `${formatResourceType(observation.typeUrl)} request: ${describeSubscription(observation)}`;
    case 'response-received': {
      const removed = observation.removedNames?.length ?? 0;
      const unchanged = observation.unchangedResources ?? 0;
      const parts = [
        describeNames(names) || 'nothing new',
        removed === 0 ? '' : `${removed} removed`,
        unchanged === 0 ? '' : `${unchanged} unchanged`,
      ];
      return `${formatResourceType(observation.typeUrl)} response ${quoteVersion(observation.versionInfo)}: ${parts.filter(Boolean).join(', ')}`;
    }
    case 'ack-sent':
      return `ACK of ${formatResourceType(observation.typeUrl)} ${quoteVersion(observation.versionInfo)}${tookText(observation)}${alsoRequests(observation)}`;
    case 'nack-sent':
      return `NACK of ${formatResourceType(observation.typeUrl)} ${quoteVersion(observation.rejectedVersion)}${timesText(observation)}${alsoRequests(observation)}: ${observation.errorDetail.slice(0, errorChars)}`;
    case 'timer-expired':
      return `${observation.timer === 'ttl' ? 'time to live passed' : 'no response in time'}: ${describeNames(names)}`;
    case 'cache-changed':
      return `${observation.reason}: ${describeRows(observation)}`;
    case 'server-switched':
      return `${observation.direction === 'fallback' ? 'fell back' : 'returned'} from ${observation.from} to ${observation.to}: ${observation.reason}`;
    case 'copies-dropped':
      return `not recorded: ${formatCounted(observation.messages, 'message')} (${observation.reason})`;
    case 'load-reported':
      return `load of ${formatCounted(observation.clusters.length, 'cluster')}`;
    case 'connections-changed':
      return `connections: ${describeConnections(observation)}`;
    case 'rpcs-counted':
      return `RPCs: ${observation.methods.map(describeCounts).join('; ') || 'none'}`;
    case 'rpc-block-counted':
      return describeBlock(observation);
    case 'interop-step':
      return describeStep(observation);
    case 'test-client-configured':
      return `test client configured: ${describeConfiguration(observation)}`;
    case 'test-server-set':
      return `test server ${describeServing(observation)}`;
    case 'lab-event':
      return observation.text;
  }
}

interface SubscriptionNames {
  readonly typeUrl: string;
  readonly resourceNames?: readonly string[];
  readonly unsubscribedNames?: readonly string[];
  /** The nonce of the request; empty in the first one of a stream. */
  readonly responseNonce?: string;
}

function describeSubscription(request: SubscriptionNames): string {
  const { resourceNames = [], unsubscribedNames = [] } = request;
  const count = unsubscribedNames.length;
  const parts = [describeNames(resourceNames), count === 0 ? '' : `unsubscribes from ${count}`];
  return parts.filter(Boolean).join(', ') || (isWildcard(request) ? 'everything' : 'no names');
}

/** An empty list is a wildcard at first, and not once the stream has named a resource of the type. */
function isWildcard({ typeUrl, responseNonce }: SubscriptionNames): boolean {
  return responseNonce === '' && findResourceType(typeUrl)?.absenceDeletes !== false;
}

/** An ACK or NACK that changes the subscription is a request as well. */
function alsoRequests(names: SubscriptionNames): string {
  const isRequest = names.resourceNames !== undefined || names.unsubscribedNames !== undefined;
  return isRequest ? `, requests ${describeSubscription(names)}` : '';
}

function describeRows(rows: { readonly changed: readonly unknown[]; readonly removed: readonly unknown[] }) {
  return `${rows.changed.length} changed, ${rows.removed.length} removed`;
}

function describeNames(names: readonly string[]): string {
  const [first = '', ...more] = names;
  return more.length === 0 ? first : `${first} and ${more.length} more`;
}

function quoteVersion(version: string): string {
  return version === '' ? 'without a version' : `"${version}"`;
}

function tookText({ tookMs }: { readonly tookMs?: number }): string {
  return tookMs === undefined ? '' : ` after ${formatDuration(tookMs)}`;
}

function describeConnections({ connections, endedIds }: ConnectionChanges): string {
  const [first] = connections;
  const ended = endedIds.length === 0 ? '' : `${endedIds.length} ended`;
  if (first === undefined) return ended || 'none';
  const shown = `${first.target || first.kind} ${first.state}`;
  const more = connections.length > 1 ? `${connections.length - 1} more changed` : '';
  return [shown, more, ended].filter(Boolean).join(', ');
}

function timesText({ repeats = 1 }: NackSent): string {
  return repeats === 1 ? '' : `, ${formatCounted(repeats, 'time')}`;
}
