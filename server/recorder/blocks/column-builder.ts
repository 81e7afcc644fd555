import type { Observation, Recorded, Vantage } from '@/lib/observation/observation';
import { facetsOf } from '@/lib/observation/observation-facets';
import {
  type BlockColumns,
  type BlockTerms,
  emptyColumns,
  maxErrorChars,
  storedKinds,
  storedVantages,
} from './block-columns';
import { hashText, nameSeed, versionSeed } from './hash-text';
import { Interner } from './interner';

const kindNumber = new Map<Observation['kind'], number>(storedKinds.map((kind, index) => [kind, index]));
const vantageNumber = new Map<Vantage, number>(storedVantages.map((vantage, index) => [vantage, index]));

/** Builds columns and terms row by row, in the order of seq. It keeps no references to the rows. */
export class ColumnBuilder {
  readonly #columns: BlockColumns;
  readonly #strings = new Interner();
  /** Hashes of all rows, one row after the other. */
  readonly #terms: number[] = [];
  readonly #offsets: Uint32Array;
  #count = 0;

  constructor(maxRows: number) {
    this.#columns = emptyColumns(maxRows);
    this.#offsets = new Uint32Array(maxRows + 1);
  }

  get count(): number {
    return this.#count;
  }

  add(observation: Recorded): void {
    const columns = this.#columns;
    const strings = this.#strings;
    const index = this.#count++;
    const facets = facetsOf(observation);
    columns.seqs[index] = observation.seq;
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
    const first = this.#terms.length;
    for (const name of facets.names) this.#addTerm(hashText(name, nameSeed), first);
    for (const version of facets.versions) this.#addTerm(hashText(version, versionSeed), first);
    this.#offsets[index + 1] = this.#terms.length;
  }

  finish(): { readonly columns: BlockColumns; readonly terms: BlockTerms } {
    const count = this.#count;
    const { seqs, ats, kinds, vantages, sources, clients, streams, types, errors, nonces, took } =
      this.#columns;
    const columns = {
      count,
      strings: this.#strings.texts,
      seqs: seqs.slice(0, count),
      ats: ats.slice(0, count),
      kinds: kinds.slice(0, count),
      vantages: vantages.slice(0, count),
      sources: sources.slice(0, count),
      clients: clients.slice(0, count),
      streams: streams.slice(0, count),
      types: types.slice(0, count),
      errors: errors.slice(0, count),
      nonces: nonces.slice(0, count),
      took: took.slice(0, count),
    };
    return { columns, terms: placeTerms(this.#terms, this.#offsets.slice(0, count + 1)) };
  }

  /** A term that equals the previous one is skipped, because the resources of a response usually have one version. */
  #addTerm(term: number, first: number): void {
    const terms = this.#terms;
    if (terms.length === first || terms[terms.length - 1] !== term) terms.push(term);
  }
}

/** Precondition: rows are sorted by seq. */
export function buildColumns(rows: readonly Recorded[]): ReturnType<ColumnBuilder['finish']> {
  const builder = new ColumnBuilder(rows.length);
  for (const row of rows) builder.add(row);
  return builder.finish();
}

function placeTerms(terms: readonly number[], offsets: Uint32Array): BlockTerms {
  const hashes = Uint32Array.from(new Set(terms)).sort();
  const places = new Map<number, number>();
  for (let place = 0; place < hashes.length; place++) places.set(hashes[place] ?? 0, place);
  const ids = new Uint32Array(terms.length);
  for (let index = 0; index < terms.length; index++) ids[index] = places.get(terms[index] ?? 0) ?? 0;
  return { hashes, offsets, ids };
}
