import type { LoadRow } from '../../api/schema';
import type { Count } from '../../load/count';
import type { Locality } from '../../observation/observation';

export interface LoadRowsQuery {
  /** Only of this client, by its id. */
  readonly client?: string;
  /** Only to this cluster. */
  readonly cluster?: string;
  readonly limit: number;
}

export interface LoadRows {
  readonly items: LoadRow[];
  /** With those beyond the limit. */
  readonly total: number;
  /** Limits of what is kept that applied, in sentences. */
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
  /** Lines beyond the limit. */
  readonly dropped: number;
  /** Clusters of clients whose newest report is too old to say anything about now. */
  readonly silent: number;
}
