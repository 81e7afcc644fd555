import { group } from 'd3';
import { type InEffect, inEffect } from '../facts/effect';
import { formatEndCut } from '../format/end-cut';
import type { ClientConfigChanged, NackSent, Recorded, Side, Vantage } from '../observation/observation';
import type { ResourceState } from '../observation/resource-state';
import type { EpochMs } from '../xds/units';
import { listCountedReasons } from './parse-indexed-errors';
import { parseNackText } from './parse-nack-text';

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
  readonly good: { readonly versionInfo: string; readonly hash: string | null } | undefined;
  /** What is in effect beside the rejected payload. */
  readonly effect: InEffect['kind'];
  /** The number of NACKs that it represents. */
  readonly times: number;
  /** Identifies the rejected response; null if the source observes no responses. */
  readonly responseKey: string | null;
}

/** Clients print whole resources into the text. */
const textChars = 8 * 1024;
const notKnown = { good: undefined, effect: 'unknown' } as const;
const noRows: readonly ResourceState[] = [];

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
  const base = {
    ...aboutOf(observation),
    side: 'client' as const,
    responseKey: responseKeyOf(observation),
    times: observation.repeats ?? 1,
  };
  const rejected = observation.changed.filter(({ clientStatus }) => clientStatus === 'NACKED');
  const reasons = ownReasons(errorDetail, rejected);
  const rows = rejected.map((row, place) => ({
    ...base,
    ...readRow(row),
    text: cut(reasons[place] ?? (row.errorState?.details || errorDetail)),
    versionInfo: row.errorState?.versionInfo || rejectedVersion,
  }));
  if (rows.length > 0 || (part?.number ?? 1) > 1) return rows;
  // If there are no rows, the text may name resources.
  const names = new Set(parseNackText(errorDetail).map(({ resourceName = '' }) => resourceName));
  return [...names].map((name) => ({
    ...base,
    typeUrl,
    name,
    text: cut(errorDetail),
    versionInfo: rejectedVersion,
    attemptAt: null,
    failedHash: null,
    ...notKnown,
  }));
}

/**
 * Returns the errors of several rejected resources if the text identifies them by index: rows and errors are in the order
 * of the response. Returns none if their numbers differ, or if a row has its own error.
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
    times: 1,
    ...readRow(row),
    text: cut(row.errorState?.details ?? ''),
    versionInfo: row.errorState?.versionInfo || (side === 'control-plane' ? row.versionInfo : ''),
    // CSDS, ConfigStatus.ERROR: the control plane attaches the rejected config. It does not report the accepted one.
    ...(side === 'control-plane' && notKnown),
  }));
  return side === 'client' ? reported : readPlane(reported);
}

/**
 * A control plane reports the error in every row of the rejected type, or in one row without a name, as istiod does. The
 * rejected resources are those that the text names. If it names none, it is one NACK without a resource.
 */
function readPlane(reported: readonly Rejection[]): Rejection[] {
  const byText = group(reported, ({ typeUrl, text }) => `${typeUrl}\u0000${text}`);
  return [...byText.values()].flatMap((rows) => {
    const [first] = rows;
    if (first === undefined) return [];
    const names = new Set(parseNackText(first.text).flatMap(({ resourceName = [] }) => resourceName));
    const named = rows.filter(({ name }) => names.has(name));
    if (named.length > 0) return named;
    if (first.name === '' && names.size > 0) return [...names].map((name) => ({ ...first, name }));
    return rows.length === 1 ? rows : [{ ...first, name: '', failedHash: null }];
  });
}

function isRejected({ clientStatus, configStatus }: ResourceState, side: Side): boolean {
  return side === 'client' ? clientStatus === 'NACKED' : configStatus === 'ERROR';
}

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

function readRow(row: ResourceState) {
  const { typeUrl, name, versionInfo, errorState } = row;
  const effect = inEffect(row);
  return {
    typeUrl,
    name,
    attemptAt: errorState?.lastUpdateAttempt ?? null,
    failedHash: errorState?.failedHash ?? null,
    good: effect.kind === 'payload' ? { versionInfo, hash: effect.hash ?? null } : undefined,
    effect: effect.kind,
  };
}

/** Envoy prints a message over many lines before the cause, which is at the end. */
function cut(text: string): string {
  if (text.length <= textChars || !text.includes('\n')) return formatEndCut(text, textChars);
  const head = text.slice(0, textChars / 4).replace(/\n[^\n]*$/, '');
  const tail = text.slice(text.length - textChars / 2).replace(/^[^\n]*\n/, '');
  const left = text.length - head.length - tail.length;
  return formatEndCut(`${head}\n… ${left} characters …\n${tail}`, textChars);
}
