import type {
  ClientConfigChanged,
  NackSent,
  Recorded,
  ResourceState,
  Side,
  Vantage,
} from '../observation/observation';
import type { EpochMs } from '../xds/units';
import { listCountedReasons } from './parse-indexed-errors';
import { parseNackText } from './parse-nack-text';

/** One resource that one client rejected, as one vantage reports it. */
export interface Rejection {
  readonly clientId: string;
  readonly sourceId: string;
  readonly vantage: Vantage;
  readonly side: Side;
  readonly at: EpochMs;
  readonly seq: number;
  readonly typeUrl: string;
  readonly name: string;
  readonly text: string;
  readonly versionInfo: string;
  readonly attemptAt: EpochMs | null;
  readonly failedHash: string | null;
  readonly good: { readonly versionInfo: string; readonly hash: string | null } | null;
  /** Of the rejected response; null where the vantage sees none. */
  readonly responseKey: string | null;
}

/** A client prints whole resources into its text. */
const textChars = 8 * 1024;
const noRows: readonly ResourceState[] = [];

/** What an observation reports NACKs; mostly nothing. */
export function readRejections(observation: Recorded): Rejection[] {
  switch (observation.kind) {
    case 'nack-sent':
      return readNack(observation);
    case 'client-config-changed':
      return readConfig(observation);
    default:
      return [];
  }
}

export function responseKeyOf({ streamId, typeUrl, nonce }: NackSent): string {
  return `${streamId}\u0000${typeUrl}\u0000${nonce}`;
}

function readNack(observation: Recorded<NackSent>): Rejection[] {
  const { typeUrl, rejectedVersion, errorDetail, part } = observation;
  const base = { ...aboutOf(observation), side: 'client' as const, responseKey: responseKeyOf(observation) };
  const rejected = observation.changed.filter(({ clientStatus }) => clientStatus === 'NACKED');
  const reasons = ownReasons(errorDetail, rejected);
  const rows = rejected.map((row, place) => ({
    ...base,
    ...readRow(row),
    text: cut(reasons[place] ?? (row.errorState?.details || errorDetail)),
    versionInfo: row.errorState?.versionInfo || rejectedVersion,
    // Who saw nothing before the rejected body has nothing else to show in the row.
    good: row.hash === row.errorState?.failedHash ? null : readRow(row).good,
  }));
  if (rows.length > 0 || (part?.number ?? 1) > 1) return rows;
  // Nobody knows the rows: the text may name resources.
  const names = new Set(parseNackText(errorDetail).map(({ resourceName = '' }) => resourceName));
  return [...names].map((name) => ({
    ...base,
    typeUrl,
    name,
    text: cut(errorDetail),
    versionInfo: rejectedVersion,
    attemptAt: null,
    failedHash: null,
    good: null,
  }));
}

/**
 * What is said of each of several rejected resources, where the text only counts them: rows are in the order of the
 * response, and so are its entries. None where they do not match, or a row has words of its own.
 */
function ownReasons(errorDetail: string, rejected: readonly ResourceState[]): readonly string[] {
  if (rejected.length < 2 || rejected.some(({ errorState }) => errorState?.details !== errorDetail))
    return [];
  const reasons = listCountedReasons(errorDetail);
  return reasons.length === rejected.length ? reasons : [];
}

function readConfig(observation: Recorded<ClientConfigChanged>): Rejection[] {
  const { side } = observation;
  const rejected = observation.changed.filter((row) => isRejected(row, side));
  if (rejected.length === 0) return [];
  const reported = rejected.map((row) => ({
    ...aboutOf(observation),
    side,
    responseKey: null,
    ...readRow(row),
    text: cut(row.errorState?.details ?? ''),
    versionInfo: row.errorState?.versionInfo || (side === 'control-plane' ? row.versionInfo : ''),
    // CSDS, ConfigStatus.ERROR: what a control plane attaches is the rejected one. What is in use it does not know.
    ...(side === 'control-plane' && { good: null }),
  }));
  return side === 'client' ? reported : readPlane(reported);
}

/**
 * A control plane knows the type that was rejected, and the text, and says so in each row of the type: what it means are
 * the resources that the text names. Where it names none, and there are several, it is one NACK of nobody knows which.
 */
function readPlane(reported: readonly Rejection[]): Rejection[] {
  const byText = new Map<string, Rejection[]>();
  for (const each of reported) {
    const key = `${each.typeUrl}\u0000${each.text}`;
    byText.set(key, [...(byText.get(key) ?? []), each]);
  }
  return [...byText.values()].flatMap((rows) => {
    const [first] = rows;
    if (first === undefined) return [];
    const names = new Set(parseNackText(first.text).map(({ resourceName }) => resourceName));
    const named = rows.filter(({ name }) => names.has(name));
    if (named.length > 0 || rows.length === 1) return named.length > 0 ? named : rows;
    return [{ ...first, name: '', failedHash: null }];
  });
}

function isRejected({ clientStatus, configStatus }: ResourceState, side: Side): boolean {
  return side === 'client' ? clientStatus === 'NACKED' : configStatus === 'ERROR';
}

/** Rows that say that a resource was taken. */
export function acceptedRows(observation: Recorded): readonly ResourceState[] {
  if (!('changed' in observation)) return noRows;
  if (observation.kind !== 'client-config-changed' || observation.side === 'client') {
    return observation.changed.filter(({ clientStatus }) => clientStatus === 'ACKED');
  }
  return observation.changed.filter(({ configStatus }) => configStatus === 'SYNCED');
}

function aboutOf({ clientId, sourceId, vantage, at, seq }: Recorded<NackSent | ClientConfigChanged>) {
  return { clientId, sourceId, vantage, at, seq };
}

function readRow({ typeUrl, name, versionInfo, hash, errorState }: ResourceState) {
  return {
    typeUrl,
    name,
    attemptAt: errorState?.lastUpdateAttempt ?? null,
    failedHash: errorState?.failedHash ?? null,
    good: versionInfo === '' && hash === null ? null : { versionInfo, hash },
  };
}

function cut(text: string): string {
  return text.length > textChars ? `${text.slice(0, textChars)}…` : text;
}
