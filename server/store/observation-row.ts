import type { Observation, Vantage } from '@/lib/observation/observation';
import { facetsOf } from '@/lib/observation/observation-facets';
import { storedKinds, storedVantages } from './stored-kinds';
import { type TextKey, textKey } from './texts';

/** What an observation is filtered by, with texts that have no ids yet. */
export interface ObservationFields {
  readonly at: number;
  readonly kind: number;
  readonly vantage: number;
  readonly nonce: number | null;
  readonly took: number | null;
  readonly rejected: number;
  readonly source: TextKey;
  readonly client: TextKey | null;
  readonly stream: TextKey | null;
  readonly types: TextKey | null;
  /** Its names, versions and errors, each once. */
  readonly terms: ReadonlySet<TextKey>;
}

export function fieldsOf(observation: Observation): ObservationFields {
  const { streamId, typeUrls, nonce, tookMs, names, versions, errors } = facetsOf(observation);
  const terms = new Set<TextKey>();
  for (const name of names) terms.add(textKey('name', name));
  for (const version of versions) terms.add(textKey('version', version));
  for (const error of errors) terms.add(textKey('error', error.toLowerCase()));
  return {
    at: Math.floor(observation.at),
    kind: kindNumber(observation.kind),
    vantage: vantageNumber(observation.vantage),
    nonce: nonce === null ? null : numberOfNonce(nonce),
    took: tookMs === null || tookMs < 0 ? null : Math.round(tookMs * 1000),
    rejected: isRejection(observation.kind, errors.length > 0) ? 1 : 0,
    source: textKey('source', observation.sourceId),
    client: 'clientId' in observation ? textKey('client', observation.clientId) : null,
    stream: streamId === null ? null : textKey('stream', streamId),
    types: typeUrls.length === 0 ? null : textKey('types', joinTypes(typeUrls)),
    terms,
  };
}

const kindNumbers = new Map<string, number>(storedKinds.map((kind, index) => [kind, index]));
const vantageNumbers = new Map<string, number>(storedVantages.map((vantage, index) => [vantage, index]));

/** Throws a RangeError for a kind that storedKinds lacks: each would be stored as the same. */
export function kindNumber(kind: Observation['kind']): number {
  return numberOf(kindNumbers, kind);
}

export function vantageNumber(vantage: Vantage): number {
  return numberOf(vantageNumbers, vantage);
}

function numberOf(numbers: ReadonlyMap<string, number>, text: string): number {
  const found = numbers.get(text);
  if (found === undefined)
    throw new RangeError(`expected one of ${[...numbers.keys()].join(', ')}, got ${text}`);
  return found;
}

function isRejection(kind: Observation['kind'], hasError: boolean): boolean {
  return kind === 'nack-sent' || (kind === 'client-config-changed' && hasError);
}

/** PostgreSQL's integers have a sign. */
function numberOfNonce(nonce: string): number {
  return hashText(nonce) | 0;
}

/** Returns a 32-bit hash, never 0. The function is part of the format. */
function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0 || 1;
}

/** Surrounds each type with NUL, so that it is found as a part of the text. */
export function joinTypes(typeUrls: readonly string[]): string {
  return `\u0000${typeUrls.join('\u0000')}\u0000`;
}

/** Returns undefined if there is no type, or several. */
export function singleType(types: string | undefined): string | undefined {
  const single = types?.slice(1, -1);
  return single?.includes('\u0000') ? undefined : single;
}
