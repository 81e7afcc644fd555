import type { NotableEvent } from '../../api/schema';
import { formatIsoTime } from '../../format/iso-time';
import type { Recorded, ResourceChanges, ResourceState } from '../../observation/observation';
import { formatResourceType } from '../../xds/resource-type';
import { type ClientStatus, isTrouble } from '../../xds/status';

export interface EventContext {
  /** The client's node id; undefined when it is not known (yet). */
  readonly nodeIdOf: (clientId: string) => string | undefined;
  /** The resource's status before the observation, as the same source told it. */
  readonly previousStatus: (row: ResourceState) => ClientStatus | undefined;
}

/** At most so many rows of one observation become lines; the rest is one line with their number. */
const rowsPerObservation = 20;

/**
 * What of an observation is worth a line on the Overview: refusals and their mending, resources that do not exist,
 * clients that came and went, sources up and down, what the lab did. Ordinary updates are not.
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
      if (rows.length > 0) return rows;
      const text = `NACK of ${formatResourceType(observation.typeUrl)} ${observation.rejectedVersion}: ${observation.errorDetail}`;
      return [{ ...about(observation, context), text, status: 'NACKED', isTrouble: true }];
    }
    case 'stream-closed': {
      const text = `ADS stream ended: ${observation.code}${observation.details === '' ? '' : ` (${observation.details})`}`;
      return [{ ...about(observation, context), text, isTrouble: !observation.hadResponse }];
    }
    case 'server-switched': {
      const { authority, from, to, direction, reason } = observation;
      const whose = authority === null ? '' : ` of authority "${authority}"`;
      const verb = direction === 'fallback' ? 'falls back' : 'returns';
      const text = `xDS client${whose} ${verb} from ${from} to ${to}: ${reason}`;
      return [{ ...about(observation, context), text, isTrouble: direction === 'fallback' }];
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
    case 'stream-opened':
    case 'response-received':
    case 'load-reported':
      return [];
  }
}

function about(observation: Recorded, context: EventContext): NotableEvent {
  const clientId = 'clientId' in observation ? observation.clientId : null;
  return {
    seq: observation.seq,
    at: formatIsoTime(observation.at),
    kind: observation.kind === 'lab-event' ? observation.what : observation.kind,
    vantage: observation.vantage,
    clientId,
    nodeId: clientId === null ? null : (context.nodeIdOf(clientId) ?? null),
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
  const told = observation.changed.flatMap((row) => {
    const text = describeTransition(row, context.previousStatus(row));
    return text === undefined ? [] : [{ row, text }];
  });
  const shown = isLaterPart(observation) ? 0 : rowsPerObservation;
  const events: NotableEvent[] = told.slice(0, shown).map(({ row, text }) => ({
    ...about(observation, context),
    typeUrl: row.typeUrl,
    resourceName: row.name,
    status: row.clientStatus,
    text,
    isTrouble: isTrouble(row.clientStatus),
  }));
  const left = told.slice(shown);
  if (left.length > 0) {
    const trouble = left.some(({ row }) => isTrouble(row.clientStatus));
    events.push({
      ...about(observation, context),
      text: `and ${left.length} resources more`,
      isTrouble: trouble,
    });
  }
  return events;
}

/** What an earlier part has said is not said again. */
function isLaterPart({ part }: Recorded): boolean {
  return part !== undefined && part.number > 1;
}

function describeTransition(row: ResourceState, before: ClientStatus | undefined): string | undefined {
  const what = `${formatResourceType(row.typeUrl)} ${row.name}`;
  if (isTrouble(row.clientStatus)) {
    const reason = row.errorState?.details ?? '';
    return `${what} ${row.clientStatus}${reason === '' ? '' : `: ${reason}`}`;
  }
  if (row.clientStatus === 'ACKED' && before !== undefined && isTrouble(before)) {
    return `${what} is ACKED again (was ${before}), version ${row.versionInfo === '' ? 'not told' : row.versionInfo}`;
  }
  return undefined;
}
