import type { Observation, Recorded, Vantage } from '@/lib/observation/observation';
import { facetsOf } from '@/lib/observation/observation-facets';
import { hashText, nameSeed, versionSeed } from './hash-text';
import { Interner } from './interner';

/** The numbers are stored: append only. */
export const storedKinds: readonly Observation['kind'][] = [
  'source-up',
  'source-down',
  'client-config-changed',
  'client-gone',
  'stream-opened',
  'stream-closed',
  'request-sent',
  'response-received',
  'ack-sent',
  'nack-sent',
  'copies-dropped',
  'timer-expired',
  'server-switched',
  'cache-changed',
  'load-reported',
  'lab-event',
];
export const storedVantages: readonly Vantage[] = ['probe', 'tap', 'csds', 'lrs', 'dump', 'lab'];
const kindNumber = new Map(storedKinds.map((kind, index) => [kind, index]));
const vantageNumber = new Map(storedVantages.map((vantage, index) => [vantage, index]));

/** An observation as it goes into the log. */
export interface LogRow {
  readonly seq: number;
  readonly json: string;
  readonly observation: Recorded;
}

/**
 * What observations are found by, column by column: index i of each is observation i, by seq. Texts are numbers into
 * `strings`; 0 is "none".
 */
export interface BlockColumns {
  readonly count: number;
  readonly strings: readonly string[];
  readonly seqs: Float64Array;
  /** Whole milliseconds. */
  readonly ats: Float64Array;
  readonly kinds: Uint8Array;
  readonly vantages: Uint8Array;
  readonly sources: Uint32Array;
  readonly clients: Uint32Array;
  readonly streams: Uint32Array;
  /** Of several types: their URLs joined by NUL. */
  readonly types: Uint32Array;
  /** All error texts of the observation, joined by line feeds and cut to maxErrorChars. */
  readonly errors: Uint32Array;
  /** hashText(nonce). */
  readonly nonces: Uint32Array;
  /** Microseconds + 1. */
  readonly took: Float64Array;
}

/** Names and versions by hash: each observation's are ids[offsets[i]] to ids[offsets[i + 1]], places in `hashes`. */
export interface BlockTerms {
  /** Sorted. */
  readonly hashes: Uint32Array;
  readonly offsets: Uint32Array;
  readonly ids: Uint32Array;
}

export const maxErrorChars = 2000;

/** Rows come by seq. */
export function buildBlock(rows: readonly LogRow[]): { columns: BlockColumns; terms: BlockTerms } {
  const count = rows.length;
  const columns = emptyColumns(count);
  const strings = new Interner();
  const termsOf: number[][] = [];
  const allTerms = new Set<number>();
  for (let index = 0; index < count; index++) {
    const row = rows[index];
    if (row === undefined) continue;
    const { seq, observation } = row;
    const facets = facetsOf(observation);
    columns.seqs[index] = seq;
    columns.ats[index] = Math.floor(observation.at);
    columns.kinds[index] = kindNumber.get(observation.kind) ?? 0;
    columns.vantages[index] = vantageNumber.get(observation.vantage) ?? 0;
    columns.sources[index] = strings.add(observation.sourceId);
    if ('clientId' in observation) columns.clients[index] = strings.add(observation.clientId);
    if (facets.streamId !== null) columns.streams[index] = strings.add(facets.streamId);
    if (facets.typeUrls.length > 0) columns.types[index] = strings.add(facets.typeUrls.join('\u0000'));
    if (facets.errors.length > 0)
      columns.errors[index] = strings.add(facets.errors.join('\n').slice(0, maxErrorChars));
    if (facets.nonce !== null) columns.nonces[index] = hashText(facets.nonce);
    if (facets.tookMs !== null && facets.tookMs >= 0)
      columns.took[index] = Math.round(facets.tookMs * 1000) + 1;
    const terms: number[] = [];
    for (const name of facets.names) addTerm(terms, hashText(name, nameSeed));
    for (const version of facets.versions) addTerm(terms, hashText(version, versionSeed));
    for (const term of terms) allTerms.add(term);
    termsOf.push(terms);
  }
  return { columns: { ...columns, strings: strings.texts }, terms: placeTerms(termsOf, allTerms) };
}

export function emptyColumns(count: number): BlockColumns {
  return {
    count,
    strings: [''],
    seqs: new Float64Array(count),
    ats: new Float64Array(count),
    kinds: new Uint8Array(count),
    vantages: new Uint8Array(count),
    sources: new Uint32Array(count),
    clients: new Uint32Array(count),
    streams: new Uint32Array(count),
    types: new Uint32Array(count),
    errors: new Uint32Array(count),
    nonces: new Uint32Array(count),
    took: new Float64Array(count),
  };
}

/** An answer's rows mostly say one version: told once in a row is enough. */
function addTerm(terms: number[], term: number): void {
  if (terms.at(-1) !== term) terms.push(term);
}

function placeTerms(termsOf: readonly (readonly number[])[], all: ReadonlySet<number>): BlockTerms {
  const hashes = Uint32Array.from(all).sort();
  const place = new Map<number, number>();
  for (let index = 0; index < hashes.length; index++) place.set(hashes[index] ?? 0, index);
  const offsets = new Uint32Array(termsOf.length + 1);
  for (let index = 0; index < termsOf.length; index++) {
    offsets[index + 1] = (offsets[index] ?? 0) + (termsOf[index]?.length ?? 0);
  }
  const ids = new Uint32Array(offsets[termsOf.length] ?? 0);
  let next = 0;
  for (const terms of termsOf) for (const term of terms) ids[next++] = place.get(term) ?? 0;
  return { hashes, offsets, ids };
}
