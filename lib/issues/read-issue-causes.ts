import { type InEffect, inEffect } from '../facts/effect';
import { type Rejection, readRejections } from '../nacks/read-rejections';
import { rejectionKey } from '../nacks/rejection-key';
import { isAckOfRejected } from '../observation/effect-stage';
import { addressOfServer, isFailingServer, mayBeFailingServer } from '../observation/failing-server';
import { isMissingOnDemand } from '../observation/is-missing-on-demand';
import type { ConnectionsChanged, Recorded, Side } from '../observation/observation';
import type { ResourceRow } from '../observation/resource-row';
import type { ResourceKey, ResourceState } from '../observation/resource-state';
import { isPolledVantage } from '../observation/vantage';
import { isCollection } from '../xds/resource-name';
import type { EpochMs } from '../xds/units';
import type { IssueCause, ReportedCause } from './issue-record';

/** An issue of a resource of a client, as one observation reports it. */
export interface IssueReport {
  readonly resource: ResourceKey;
  readonly cause: ReportedCause;
  readonly from: EpochMs;
  /** As in IssuePeriod. */
  readonly versionInfo: string;
  readonly keepsAccepted: boolean | null;
}

/** The resources of an observation that have an issue, and those that no longer have one. */
interface IssueReports {
  readonly side: Side;
  readonly begun: readonly IssueReport[];
  readonly repaired: readonly ResourceKey[];
  readonly removed: readonly ResourceKey[];
}

const textChars = 8 * 1024;

export function readIssueReports(observation: Recorded): IssueReports {
  const side = observation.kind === 'client-config-changed' ? observation.side : 'client';
  const changed = 'changed' in observation ? observation.changed : [];
  const rejections = readRejections(observation).map((each) => reportOfRejection(each));
  const rows = changed.flatMap((row) => reportOfRow(observation, row, side));
  const repaired = changed.filter((row) => isRepaired(row, side));
  if (observation.kind === 'connections-changed') return reportsOfConnections(observation);
  return {
    side,
    begun: [...rejections, ...rows],
    repaired: [...repaired, ...repairedTypes(observation, repaired, side)],
    removed: 'removed' in observation ? observation.removed : [],
  };
}

/** The channels to management servers. The key of a channel has no type. */
function reportsOfConnections({ at, connections, endedIds }: Recorded<ConnectionsChanged>): IssueReports {
  const failing = connections.filter((each) => isFailingServer(each) || mayBeFailingServer(each));
  const begun = new Set(failing);
  const others = connections.filter(
    ({ kind, isManagementServer }) => kind === 'channel' || isManagementServer,
  );
  return {
    side: 'client',
    begun: failing.map((channel) => ({
      resource: keyOfConnection(channel.id),
      cause: {
        kind: 'unreachable',
        side: 'client',
        typeUrl: '',
        name: addressOfServer(channel),
        text: cut(channel.lastError ?? ''),
        ...(mayBeFailingServer(channel) && { rule: possibleServer }),
      },
      from: Math.min(at, channel.failingSince ?? at),
      versionInfo: '',
      keepsAccepted: null,
    })),
    repaired: others.filter((channel) => !begun.has(channel)).map(({ id }) => keyOfConnection(id)),
    removed: endedIds.map(keyOfConnection),
  };
}

/** The rule of an unreachable server that is not known to be the management server of its clients. */
export const possibleServer = 'possible-server';

export function keyOfConnection(id: string): ResourceKey {
  return { typeUrl: '', name: id };
}

function reportOfRejection(rejection: Rejection): IssueReport {
  const { typeUrl, name, text, side, versionInfo, effect, at, attemptAt, vantage } = rejection;
  return {
    resource: { typeUrl, name },
    cause: { kind: 'nack', typeUrl, name, side, text },
    // Clients report the time of a rejection, which a poll finds later.
    from: isPolledVantage(vantage) ? Math.min(at, attemptAt ?? at) : at,
    versionInfo,
    keepsAccepted: name === '' ? null : keepsAccepted(effect),
  };
}

function reportOfRow(observation: Recorded, row: ResourceState, side: Side): IssueReport[] {
  const cause = side === 'client' ? causeOfClient(row) : causeOfPlane(row);
  if (cause === undefined || (row.clientStatus === 'REQUESTED' && isSnapshot(observation))) return [];
  const { typeUrl, name } = row;
  return [
    {
      resource: { typeUrl, name },
      cause,
      from: observation.at,
      versionInfo: observation.kind === 'ack-sent' ? observation.versionInfo : '',
      keepsAccepted: side === 'client' ? keepsAccepted(inEffect(row).kind) : null,
    },
  ];
}

/** A file that is not a recording has one moment, which does not show for how long a response was awaited. */
function isSnapshot({ vantage, originalVantage }: Recorded): boolean {
  return vantage === 'dump' && originalVantage === undefined;
}

function keepsAccepted(kind: InEffect['kind']): boolean | null {
  return kind === 'unknown' ? null : kind === 'payload';
}

/** An ACK of the rejected payload repairs nothing: Envoy skips a cluster that it has rejected before. */
function isRepaired(row: ResourceState, side: Side): boolean {
  if (side === 'control-plane') return row.configStatus !== 'ERROR' && causeOfPlane(row) === undefined;
  if (row.clientStatus === 'NACKED' || causeOfClient(row) !== undefined) return false;
  return row.stage !== 'warming' && !isAckOfRejected(row);
}

/** The issue of a whole type ends with an ACK of the type, or when its control plane reports a resource in sync. */
function repairedTypes(
  observation: Recorded,
  repaired: readonly ResourceState[],
  side: Side,
): readonly ResourceKey[] {
  if (observation.kind === 'ack-sent') return [{ typeUrl: observation.typeUrl, name: '' }];
  if (side === 'client') return [];
  return [...new Set(repaired.map(({ typeUrl }) => typeUrl))].map((typeUrl) => ({ typeUrl, name: '' }));
}

function causeOfClient(row: ResourceState): ReportedCause | undefined {
  const { typeUrl, name, clientStatus, errorState, ambientError, hash } = row;
  const base = { typeUrl, name, side: 'client' } as const;
  switch (clientStatus) {
    case 'DOES_NOT_EXIST':
      return isMissingOnDemand(row) ? undefined : { ...base, kind: 'absent', text: '' };
    case 'TIMEOUT':
      return { ...base, kind: 'absent', text: '', isTimeout: true };
    case 'RECEIVED_ERROR':
      return {
        ...base,
        kind: 'received-error',
        text: cut(ambientError?.details ?? errorState?.details ?? ''),
      };
    case 'REQUESTED':
      // Each resource of a collection has a name of its own (gRFC A47), under which a response has it.
      return hash !== null || isCollection(typeUrl, name) || isMissingOnDemand(row)
        ? undefined
        : { ...base, kind: 'unreached', name: '', text: '' };
    case 'UNKNOWN':
      return isWithoutResponse(row) ? { ...base, kind: 'unreached', name: '', text: '' } : undefined;
    default:
      return undefined;
  }
}

/** CSDS of gRPC-Java: a client that has not reached its management server reports a name with the status UNKNOWN. */
export function isWithoutResponse(row: ResourceState | ResourceRow): boolean {
  const { clientStatus, hash, versionInfo, errorState, doubt, isStatic, stage, unanswered } = row;
  const isEmpty = hash === null && versionInfo === '' && errorState === null && unanswered === undefined;
  return clientStatus === 'UNKNOWN' && isEmpty && doubt === undefined && stage === undefined && !isStatic;
}

/** A control plane reports the status of a type in each of its resources, so that the issue is that of the type. */
function causeOfPlane({ typeUrl, configStatus }: ResourceState): ReportedCause | undefined {
  if (configStatus !== 'STALE') return undefined;
  return { kind: 'unanswered', side: 'control-plane', typeUrl, name: '', text: '' };
}

function cut(text: string): string {
  return text.slice(0, textChars);
}

/** Equal for the issues of several clients that have one cause. The key of a NACK is that of its group. */
export function issueKey({ kind, side, typeUrl, name, text, rule }: IssueCause): string {
  const resource = { typeUrl, name };
  if (kind === 'nack') return rejectionKey(resource, text);
  if (kind === 'notice') return JSON.stringify([kind, rule]);
  return JSON.stringify([kind, side, typeUrl, name, ...(rule === undefined ? [] : [rule])]);
}
