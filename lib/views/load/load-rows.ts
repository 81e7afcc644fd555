import type { Count } from '../../load/count';
import type { Locality } from '../../observation/observation';
import type { LoadRow } from './rows-schema';

export interface LoadRowsQuery {
  readonly client?: string;
  /** The name of a single cluster. */
  readonly cluster?: string;
  readonly limit: number;
}

export interface LoadRows {
  readonly items: LoadRow[];
  readonly total: number;
  /** Describes limits that were exceeded. */
  readonly notes: string[];
}

export interface InFlightLine {
  readonly sourceId: string;
  readonly clusterName: string;
  readonly locality: Locality;
  readonly priority: number;
  readonly inFlight: Count;
}

export interface InFlight {
  readonly lines: readonly InFlightLine[];
  /** The number of lines beyond the limit. */
  readonly dropped: number;
  /** The number of clusters of clients whose newest report is too old. */
  readonly silent: number;
}
