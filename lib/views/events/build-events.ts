import { formatCounted } from '../../format/count';
import { describeStep } from '../../interop/describe-step';
import { describeConfiguration, describeServing } from '../../interop/describe-test-client';
import type { Recorded } from '../../observation/observation';
import type { ResourceChanges, ResourceKey, ResourceState } from '../../observation/resource-state';
import { formatResourceType } from '../../xds/resource-type';
import { type ClientStatus, isTrouble } from '../../xds/status';
import { describeRejection } from '../client/describe-rejection';
import type { NotableEvent } from './schema';

interface EventContext {
  /** Returns the client's node id; undefined if it is not known (yet). */
  readonly nodeIdOf: (clientId: string) => string | undefined;
  /** Returns the resource's status before the observation, as the same source reported it. */
  readonly previousStatus: (row: ResourceState) => ClientStatus | undefined;
}

/** The largest number of events for one observation. The others are one event with their number. */
const rowsPerObservation = 20;

/**
 * Lists the events of an observation for the Overview: NACKs and their resolution, resources that do not exist or that stay
 * in effect despite an error, clients that appear and vanish, sources up and down, actions of the lab. Ordinary updates
 * are not events.
 */
export function buildEvents(observation: Recorded, context: EventContext): NotableEvent[] {
  const event = (text: string, isTrouble: boolean): NotableEvent[] => [
    { ...about(observation, context), text, isTrouble },
  ];
  switch (observation.kind) {
    case 'client-config-changed':
    case 'request-sent':
    case 'ack-sent':
    case 'timer-expired':
    case 'cache-changed':
      return resourceEvents(observation, context);
    case 'nack-sent': {
      const rows = resourceEvents(observation, context);
      // A tap observes every NACK. One that rejects the same version with the same text again is not notable.
      const isKnown = observation.vantage === 'tap' && observation.rejectedVersion !== '';
      if (isLaterPart(observation) || rows.length > 0 || isKnown) return rows;
      const { typeUrl, rejectedVersion, errorDetail } = observation;
      const text = `NACK of ${formatResourceType(typeUrl)} ${rejectedVersion}: ${errorDetail}`;
      return event(text, true).map((each) => ({ ...each, status: 'NACKED' }));
    }
    case 'stream-closed': {
      const { vantage, code, details, hadResponse } = observation;
      const stream = vantage === 'lrs' ? 'LRS' : 'xDS';
      return event(`${stream} stream ended: ${code}${details === '' ? '' : ` (${details})`}`, !hadResponse);
    }
    case 'server-switched': {
      const { authority, from, to, direction, reason } = observation;
      const client = `xDS client${authority === null ? '' : ` of authority "${authority}"`}`;
      const isFallback = direction === 'fallback';
      return event(
        `${client} ${isFallback ? 'falls back' : 'returns'} from ${from} to ${to}: ${reason}`,
        isFallback,
      );
    }
    case 'copies-dropped': {
      const count = formatCounted(observation.messages, 'message');
      return event(`not recorded: ${count} of a tapped stream (${observation.reason})`, true);
    }
    case 'client-gone':
      return event(observation.reason, true);
    case 'source-up':
      return event(`${observation.sourceId} answers`, false);
    case 'source-down':
      return event(`${observation.sourceId}: ${observation.problem.message}`, true);
    case 'lab-event':
      return event(observation.text, observation.what === 'client-crashed');
    case 'source-declared':
    case 'stream-opened':
    case 'response-received':
    case 'load-reported':
    case 'connections-changed':
    case 'rpcs-counted':
    case 'rpc-block-counted':
      return [];
    case 'interop-step':
      return event(describeStep(observation), observation.outcome === 'fails');
    case 'test-client-configured':
      return event(`test client configured: ${describeConfiguration(observation)}`, false);
    case 'test-server-set':
      return event(`test server ${describeServing(observation)}`, false);
  }
}

function about(observation: Recorded, context: EventContext): NotableEvent {
  const clientId = 'clientId' in observation ? observation.clientId : undefined;
  const ownNode = 'node' in observation ? observation.node : undefined;
  return {
    seq: observation.seq,
    at: observation.at,
    kind: observation.kind === 'lab-event' ? observation.what : observation.kind,
    vantage: observation.vantage,
    clientId,
    nodeId: clientId === undefined ? undefined : (ownNode?.id ?? context.nodeIdOf(clientId)),
    sourceId: observation.sourceId,
    typeUrl: 'typeUrl' in observation ? observation.typeUrl : undefined,
    resourceName: undefined,
    status: undefined,
    text: '',
    isTrouble: false,
  };
}

function resourceEvents(
  observation: Recorded & { readonly clientId: string } & ResourceChanges,
  context: EventContext,
): NotableEvent[] {
  const reported = [
    ...observation.changed.flatMap((row) => {
      const line = describeTransition(row, context.previousStatus(row), observation);
      return line === undefined ? [] : [{ row, status: row.clientStatus, ...line }];
    }),
    ...expiredRows(observation).map((row) => {
      const text = `${formatResourceType(row.typeUrl)} ${row.name} is removed: its time to live passed without a renewal`;
      return { row, status: undefined, text, isTrouble: true };
    }),
  ];
  const shown = isLaterPart(observation) ? 0 : rowsPerObservation;
  const events: NotableEvent[] = reported.slice(0, shown).map(({ row, ...line }) => ({
    ...about(observation, context),
    typeUrl: row.typeUrl,
    resourceName: row.name,
    ...line,
  }));
  const left = reported.slice(shown);
  if (left.length > 0) {
    const text = `and ${left.length} resources more`;
    const trouble = left.some((line) => line.isTrouble);
    events.push({ ...about(observation, context), text, isTrouble: trouble });
  }
  return events;
}

/** Returns true if an earlier part of the observation has the events. */
function isLaterPart({ part }: Recorded): boolean {
  return part !== undefined && part.number > 1;
}

/** The resources whose time to live has passed, which have no status any longer. */
function expiredRows(observation: Recorded & ResourceChanges): readonly ResourceKey[] {
  return observation.kind === 'timer-expired' && observation.timer === 'ttl' ? observation.removed : [];
}

function describeTransition(
  row: ResourceState,
  before: ClientStatus | undefined,
  observation: Recorded,
): { readonly text: string; readonly isTrouble: boolean } | undefined {
  const what = `${formatResourceType(row.typeUrl)} ${row.name}`;
  if (isTrouble(row.clientStatus)) {
    const reason = describeRejection(row) || inferReason(row, before, observation);
    const kept = row.ambientError === undefined ? '' : ' (the previous version stays in use)';
    const text = `${what} ${row.clientStatus}${reason === '' ? '' : `: ${reason}`}${kept}`;
    return { text, isTrouble: true };
  }
  if (row.clientStatus !== 'ACKED') return undefined;
  // A failure of the server is reported once, not for each of its resources.
  if (row.ambientError !== undefined && observation.kind !== 'cache-changed') {
    const { code, details } = row.ambientError;
    return { text: `${what} stays in use despite ${code}: ${details}`, isTrouble: true };
  }
  if (before !== undefined && isTrouble(before)) {
    const version = row.versionInfo === '' ? 'not reported' : row.versionInfo;
    return { text: `${what} is ACKED again (was ${before}), version ${version}`, isTrouble: false };
  }
  return undefined;
}

/** Infers the reason of DOES_NOT_EXIST from the observation: before gRFC A88 clients do not report one. */
function inferReason(row: ResourceState, before: ClientStatus | undefined, observation: Recorded): string {
  if (observation.kind === 'timer-expired') return 'no server sent it in time';
  const wasThere = before === 'ACKED' || before === 'NACKED';
  const isAnswer = observation.kind === 'ack-sent' || observation.kind === 'nack-sent';
  return isAnswer && wasThere && row.clientStatus === 'DOES_NOT_EXIST' ? 'removed by the server' : '';
}
