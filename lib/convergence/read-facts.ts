import { formatEndCut } from '../format/end-cut';
import { isAckOfRejected } from '../observation/effect-stage';
import type { Observation, Recorded } from '../observation/observation';
import type { ResourceState } from '../observation/resource-state';
import { findOriginalVantage, isPolledVantage, type Vantage } from '../observation/vantage';
import { type ConvergenceFact, type FactKind, isPolled } from './convergence-fact';

export const convergenceKinds: readonly Observation['kind'][] = [
  'response-received',
  'ack-sent',
  'nack-sent',
  'request-sent',
  'client-config-changed',
  'cache-changed',
  'timer-expired',
  'client-gone',
  'stream-opened',
  'stream-closed',
];

export type AddressOf = (sourceId: string) => string | undefined;

export function readFacts(observation: Recorded, addressOf: AddressOf = () => undefined): ConvergenceFact[] {
  switch (observation.kind) {
    case 'response-received': {
      const { streamId, nonce, versionInfo: version, resources, removedNames = [] } = observation;
      const base = {
        ...baseOf(observation),
        typeUrl: observation.typeUrl,
        version,
        server: observation.controlPlane || observation.sourceId,
        address: addressOf(observation.sourceId) ?? null,
        nonceKey: nonceKeyOf(streamId, nonce),
      };
      return [
        { ...base, what: 'sent', name: null },
        ...resources.map(({ name, hash }) => ({ ...base, what: 'sent' as const, name, hash })),
        ...removedNames.map((name) => ({ ...base, what: 'sent' as const, name })),
      ];
    }
    case 'ack-sent':
    case 'nack-sent': {
      const { streamId, nonce, typeUrl, changed, removed, part } = observation;
      const nonceKey = nonceKeyOf(streamId, nonce);
      const base = { ...baseOf(observation), typeUrl, nonceKey };
      const rows = [...changed.map((row) => rowFact(base, row)), ...dropFacts(base, removed)];
      if ((part?.number ?? 1) > 1) return rows;
      const isAck = observation.kind === 'ack-sent';
      const version = isAck ? observation.versionInfo : observation.rejectedVersion;
      const text = isAck ? '' : cutError(observation.errorDetail);
      return [{ ...base, what: isAck ? 'accepted' : 'rejected', name: null, version, text }, ...rows];
    }
    case 'client-config-changed': {
      const { side, changed, removed, previousAt = null } = observation;
      const base = { ...baseOf(observation), after: previousAt };
      if (side === 'control-plane') return changed.flatMap((row) => controlPlaneFacts(base, row));
      return [
        { ...base, what: 'back', name: null },
        ...changed.map((row) => rowFact(base, row)),
        ...dropFacts(base, removed),
      ];
    }
    case 'request-sent':
    case 'cache-changed':
    case 'timer-expired': {
      const base = baseOf(observation);
      return [
        ...observation.changed.map((row) => rowFact(base, row)),
        ...dropFacts(base, observation.removed),
      ];
    }
    case 'client-gone': {
      if (observation.side === 'control-plane') return [];
      return [{ ...baseOf(observation), what: 'gone', name: null, text: observation.reason }];
    }
    case 'stream-opened':
      return [{ ...baseOf(observation), what: 'back', name: null }];
    case 'stream-closed': {
      const { code, details, othersOpen = 0 } = observation;
      if (othersOpen > 0) return [];
      const text = cutError(details === '' ? code : `${code}: ${details}`);
      return [{ ...baseOf(observation), what: 'gone', name: null, text }];
    }
    default:
      return [];
  }
}

/** Builds a fact from a client's row, without the observation that reported it. */
export function factOfRow(
  who: { readonly clientId: string; readonly sourceId: string; readonly vantage: Vantage },
  row: ResourceState,
): ConvergenceFact {
  const base = { ...emptyFact, ...who, at: row.changedAt, seq: 0 };
  return rowFact(isPolledVantage(who.vantage) ? { ...base, after: null } : base, row);
}

type Base = Omit<ConvergenceFact, 'what' | 'name'>;

const emptyFact = {
  typeUrl: '',
  version: '',
  hash: null,
  isFromControlPlane: false,
  isInEffect: false,
  server: null,
  address: null,
  nonceKey: null,
  text: '',
} as const;

function baseOf(observation: Recorded & { readonly clientId: string }): Base {
  const { at, seq, clientId, sourceId } = observation;
  return { ...emptyFact, at, seq, clientId, sourceId, vantage: findOriginalVantage(observation) };
}

function nonceKeyOf(streamId: string, nonce: string): string {
  return `${streamId}\u0000${nonce}`;
}

const kinds: Readonly<Record<ResourceState['clientStatus'], FactKind>> = {
  ACKED: 'accepted',
  NACKED: 'rejected',
  REQUESTED: 'asked',
  DOES_NOT_EXIST: 'missing',
  TIMEOUT: 'missing',
  RECEIVED_ERROR: 'missing',
  UNKNOWN: 'unclear',
};

function rowFact(base: Base, row: ResourceState): ConvergenceFact {
  const { typeUrl, name, clientStatus, errorState, versionInfo } = row;
  const reported = { ...base, typeUrl, name, text: cutError(errorState?.details ?? '') };
  if (clientStatus === 'NACKED') {
    // Some clients report the last accepted body in CSDS. A rejected body that a poll reports is identified by version.
    const hash = isPolled(base) ? null : (errorState?.failedHash ?? null);
    return { ...reported, what: 'rejected', version: errorState?.versionInfo ?? '', hash };
  }
  const { hash, unanswered } = row;
  if (unanswered !== undefined) {
    return { ...reported, what: 'unclear', version: unanswered.versionInfo, hash: unanswered.hash };
  }
  if (clientStatus === 'UNKNOWN' && errorState !== null) {
    return { ...reported, what: 'unclear', version: errorState.versionInfo, hash: errorState.failedHash };
  }
  return { ...reported, what: kinds[clientStatus], version: versionInfo, hash, isInEffect: isInEffect(row) };
}

function isInEffect(row: ResourceState): boolean {
  const { clientStatus, hash, stage = 'active', doubt, errorState } = row;
  if (clientStatus !== 'ACKED' || hash === null || stage !== 'active' || doubt !== undefined) return false;
  return !isAckOfRejected(row) && errorState?.mayBeInEffect === undefined;
}

/** Builds facts from a control plane's row: what it sent, and whether the client accepted or rejected it. */
function controlPlaneFacts(base: Base, row: ResourceState): ConvergenceFact[] {
  const { typeUrl, name, versionInfo: version, hash, configStatus, errorState } = row;
  const reported = { ...base, isFromControlPlane: true, typeUrl, name, version, hash };
  switch (configStatus) {
    case 'SYNCED':
      return [
        { ...reported, what: 'sent' },
        { ...reported, what: 'accepted' },
      ];
    case 'ERROR':
      return [
        { ...reported, what: 'sent' },
        { ...reported, what: 'rejected', text: cutError(errorState?.details ?? '') },
      ];
    case 'STALE':
      return [{ ...reported, what: 'sent' }];
    default:
      return [];
  }
}

function dropFacts(base: Base, removed: readonly { readonly typeUrl: string; readonly name: string }[]) {
  return removed.map(({ typeUrl, name }) => ({ ...base, what: 'dropped' as const, typeUrl, name }));
}

/** Clients print whole resources into the text. */
function cutError(text: string): string {
  return formatEndCut(text, 600);
}
