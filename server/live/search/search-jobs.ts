import type { FilterCondition } from '@/lib/filter/parse-filter';
import type { Body } from '../../observe';
import type { DataFile, JobSet } from '../../workers/compute';

/** Rows of clients as columns. A client is a number, which it gets again after all its rows changed. */
export interface RowBatch {
  /** The type URLs of `kinds`. */
  readonly types: readonly string[];
  readonly owners: readonly number[];
  readonly kinds: readonly number[];
  readonly names: readonly string[];
  /** formatMark(), or `goneMark` if the client no longer has the resource. */
  readonly marks: readonly number[];
  readonly hashes: readonly (string | null)[];
}

/** The extent of the index, as of an answer of its worker. */
export interface IndexState {
  /** Differs after the worker was started again, without its content. */
  readonly worker: string;
  readonly resources: number;
  readonly postings: number;
  /** Rows and payloads beyond the limits, which are not found. */
  readonly rowsLeftOut: number;
  readonly payloadsLeftOut: number;
  /** Payloads whose addresses and domains are found, and those that are not read yet. */
  readonly payloads: number;
  readonly payloadsWaiting: number;
  /** Outside the heap: of names and their clients, and of the texts of payloads. */
  readonly bytes: number;
  readonly payloadBytes: number;
}

export interface SearchInput {
  /** The words are in lower case. Each occurs in the name. */
  readonly words: readonly string[];
  /** The conditions on the fields type, name, status, hash, address and domain. */
  readonly conditions: readonly FilterCondition[];
  /** The largest number of resources, of endpoints and of domains. */
  readonly limit: number;
}

export interface FoundResource {
  readonly typeUrl: string;
  readonly name: string;
  /** The number of clients that have the resource, probes of xdscope excluded. */
  readonly clients: number;
  /** The number of these clients that hold content. */
  readonly holders: number;
  readonly probes: number;
  /** The number of clients by index of `states`. */
  readonly states: readonly number[];
  /** The id of one of the clients, to compare the hash. */
  readonly owner: number;
}

export interface FoundText {
  readonly text: string;
  /** The resources whose payload contains it, of which `clients` may run another payload. */
  readonly resources: readonly FoundResource[];
}

export interface SearchOutput {
  readonly resources: readonly FoundResource[];
  /** The number of matches; a lower bound unless `isComplete`. */
  readonly total: number;
  readonly isComplete: boolean;
  readonly endpoints: readonly FoundText[];
  readonly domains: readonly FoundText[];
  /** Resources with a payload whose hash may begin like this: only 32 bits are compared. */
  readonly byHash: readonly FoundResource[];
  readonly state: IndexState;
}

export interface SearchJobs {
  apply: { readonly input: RowBatch; readonly output: IndexState };
  drop: { readonly input: readonly number[]; readonly output: IndexState };
  /** Reads payloads for some time. `pending` are bodies that are not written yet. */
  decode: { readonly input: readonly Body[]; readonly output: IndexState };
  /** The hashes of the payloads that are read next. */
  waiting: { readonly input: null; readonly output: readonly string[] };
  search: { readonly input: SearchInput; readonly output: SearchOutput };
}

export const searchJobs: JobSet<'search', DataFile, SearchJobs> = { name: 'search', thread: 'search' };
