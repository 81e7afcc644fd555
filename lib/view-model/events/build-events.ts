import type { NotableEvent } from '../../api/schema';
import { formatIsoTime } from '../../format/iso-time';
import type { Recorded, ResourceChanges, ResourceKey, ResourceState } from '../../observation/observation';
import { formatResourceType } from '../../xds/resource-type';
import { type ClientStatus, isTrouble } from '../../xds/status';

export interface EventContext {
  /** The client's node id; undefined when it is not known (yet). */
  readonly nodeIdOf: (clientId: string) => string | undefined;
  /** The resource's status before the observation, as the same source reported it. */
  readonly previousStatus: (row: ResourceState) => ClientStatus | undefined;
}

/** At most so many rows of one observation become lines; the rest is one line with their number. */
const rowsPerObservation = 20;

/**
 * What of an observation is worth a line on the Overview: NACKs and their resolution, resources that do not exist or
 * that stay in use in spite of an error, clients that came and went, sources up and down, what the lab did. Ordinary
 * updates are not.
 */
export function buildEvents(observation: Recorded, context: EventContext): NotableEvent[] {
  switch (observation.kind) {
    case 'client-config-changed':
    case 'request-sent':
    case 'ack-sent':
    case 'timer-expired':
    case 'cache-changed':
      return resourceEvents(observation, context);
    case 'nack-sent': {
      if (isLaterPart(observation)) return resourceEvents(observation, context);
      const rows = resourceEvents(observation, context);
      // A tap sees each of them; one that rejects what was rejected before, in the same words, is no news.
      if (rows.length > 0 || (observation.vantage === 'tap' && observation.rejectedVersion !== ''))
        return rows;
      const text = `NACK of ${formatResourceType(observation.typeUrl)} ${observation.rejectedVersion}: ${observation.errorDetail}`;
      return [{ ...about(observation, context), text, status: 'NACKED', isTrouble: true }];
    }
    case 'stream-closed': {
      const whose = observation.vantage === 'lrs' ? 'LRS' : 'xDS';
      const text = `${whose} stream ended: ${observation.code}${observation.details === '' ? '' : ` (${observation.details})`}`;
      return [{ ...about(observation, context), text, isTrouble: !observation.hadResponse }];
    }
    case 'server-switched': {
      const { authority, from, to, direction, reason } = observation;
      const whose = authority === null ? '' : ` of authority "${authority}"`;
      const verb = direction === 'fallback' ? 'falls back' : 'returns';
      const text = `xDS client${whose} ${verb} from ${from} to ${to}: ${reason}`;
      return [{ ...about(observation, context), text, isTrouble: direction === 'fallback' }];
    }
    case 'copies-dropped': {
      const { messages, reason } = observation;
      const text = `not recorded: ${messages} ${messages === 1 ? 'message' : 'messages'} of a tapped stream (${reason})`;
      return [{ ...about(observation, context), text, isTrouble: true }];
    }
    case 'client-gone':
      return [{ ...about(observation, context), text: observation.reason, isTrouble: true }];
    case 'source-up':
      return [{ ...about(observation, context), text: `${observation.sourceId} answers`, isTrouble: false }];
    case 'source-down': {
      const text = `${observation.sourceId}: ${observation.problem.message}`;
      return [{ ...about(observation, context), text, isTrouble: true }];
    }
    case 'lab-event':
      return [
        {
          ...about(observation, context),
          text: observation.text,
          isTrouble: observation.what === 'client-crashed',
        },
      ];
    case 'source-declared':
    case 'stream-opened':
    case 'response-received':
    case 'load-reported':
      return [];
  }
}

function about(observation: Recorded, context: EventContext): NotableEvent {
  const clientId = 'clientId' in observation ? observation.clientId : null;
  const ownNode = 'node' in observation ? observation.node : undefined;
  return {
    seq: observation.seq,
    at: formatIsoTime(observation.at),
    kind: observation.kind === 'lab-event' ? observation.what : observation.kind,
    vantage: observation.vantage,
    clientId,
    nodeId: clientId === null ? null : (ownNode?.id ?? context.nodeIdOf(clientId) ?? null),
    sourceId: observation.sourceId,
    typeUrl: 'typeUrl' in observation ? observation.typeUrl : null,
    resourceName: null,
    status: null,
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
      const text = `${formatResourceType(row.typeUrl)} ${row.name} is gone: its time to live passed, and nobody renewed it`;
      return { row, status: null, text, isTrouble: true };
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

/** What an earlier part has said is not said again. */
function isLaterPart({ part }: Recorded): boolean {
  return part !== undefined && part.number > 1;
}

/** Rows that nobody names, and that ran out: they are no longer there to have a status. */
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
    const reason = row.errorState?.details || unspokenReason(row, before, observation);
    const kept = row.ambientError === undefined ? '' : ' (what was there stays in use)';
    const text = `${what} ${row.clientStatus}${reason === '' ? '' : `: ${reason}`}${kept}`;
    return { text, isTrouble: true };
  }
  if (row.clientStatus !== 'ACKED') return undefined;
  // That a server is lost is reported once, not for each of the resources that it does not touch.
  if (row.ambientError !== undefined && observation.kind !== 'cache-changed') {
    const { code, details } = row.ambientError;
    return { text: `${what} stays in use, in spite of ${code}: ${details}`, isTrouble: true };
  }
  if (before !== undefined && isTrouble(before)) {
    const version = row.versionInfo === '' ? 'not reported' : row.versionInfo;
    return { text: `${what} is ACKED again (was ${before}), version ${version}`, isTrouble: false };
  }
  return undefined;
}

/** Of DOES_NOT_EXIST: before gRFC A88 clients keep no reason, but what happened reports it. */
function unspokenReason(row: ResourceState, before: ClientStatus | undefined, observation: Recorded): string {
  if (observation.kind === 'timer-expired') return 'no server sent it in time';
  const wasThere = before === 'ACKED' || before === 'NACKED';
  const isAnswer = observation.kind === 'ack-sent' || observation.kind === 'nack-sent';
  return isAnswer && wasThere && row.clientStatus === 'DOES_NOT_EXIST' ? 'the server has it no more' : '';
}
