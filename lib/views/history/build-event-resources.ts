import type { Observation } from '../../observation/observation';
import type { ResourceKey, ResourceState } from '../../observation/resource-state';
import { formatResourceType } from '../../xds/resource-type';
import type { HistoryResource } from './schema';

/** A resource of an event, without its state before. A name is listed once for each change. */
export type EventResource = Omit<HistoryResource, 'before'>;

export function buildEventResources(observation: Observation): EventResource[] {
  const own = ownResources(observation);
  if (!('changed' in observation)) return own;
  // The resources that a request subscribes to and unsubscribes from are listed already.
  const listed = new Set(own.map(({ name }) => name));
  const isListed = ({ typeUrl, name }: ResourceKey): boolean =>
    'typeUrl' in observation && observation.typeUrl === typeUrl && listed.has(name);
  const changed = observation.changed.filter((row) => row.clientStatus !== 'REQUESTED' || !isListed(row));
  const removed = observation.removed.filter((key) => !isListed(key)).map((key) => plain(key, 'removed'));
  if (observation.kind === 'request-sent') return [...own, ...removed];
  // The resources that an answer changes are listed before its subscription, which names all resources in state of
  // the world.
  return [...changed.map(changedResource), ...removed, ...own];
}

function ownResources(observation: Observation): EventResource[] {
  switch (observation.kind) {
    case 'request-sent':
    case 'ack-sent':
    case 'nack-sent': {
      const { typeUrl, resourceNames = [], unsubscribedNames = [] } = observation;
      return [
        ...resourceNames.map((name) => plain({ typeUrl, name }, 'asked')),
        ...unsubscribedNames.map((name) => plain({ typeUrl, name }, 'let-go')),
      ];
    }
    case 'response-received': {
      const { typeUrl, versionInfo, resources, removedNames = [] } = observation;
      return [
        ...resources.map(({ name, hash, sizeBytes }) => ({
          ...plain({ typeUrl, name }, 'brought'),
          versionInfo,
          hash,
          sizeBytes,
        })),
        ...removedNames.map((name) => plain({ typeUrl, name }, 'removed')),
      ];
    }
    default:
      return [];
  }
}

function changedResource(row: ResourceState): EventResource {
  const { errorState, clientStatus } = row;
  const failed = errorState?.failedHash ?? undefined;
  const isRejected = clientStatus === 'NACKED';
  return {
    ...plain(row, isRejected ? 'rejected' : 'changed'),
    versionInfo: (isRejected ? errorState?.versionInfo : row.versionInfo) || undefined,
    // The hash in the row is that of the body in effect, not of the rejected one.
    hash: isRejected ? failed : (row.hash ?? undefined),
    sizeBytes: isRejected ? undefined : (row.sizeBytes ?? undefined),
    clientStatus,
    errorText: errorState?.details || undefined,
  };
}

function plain({ typeUrl, name }: ResourceKey, change: EventResource['change']): EventResource {
  const service = formatResourceType(typeUrl);
  const nothing = {
    versionInfo: undefined,
    hash: undefined,
    sizeBytes: undefined,
    clientStatus: undefined,
    errorText: undefined,
  };
  return { typeUrl, service, name, change, ...nothing };
}
