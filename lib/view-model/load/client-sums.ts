import type { CountColumn } from '../../load/count-column';
import type { Locality, Vantage } from '../../observation/observation';

/** What the numbers of a row mean. */
export type RowName =
  | { readonly kind: 'cluster'; readonly clusterName: string; readonly clusterServiceName: string }
  | { readonly kind: 'drop'; readonly cluster: number; readonly category: string }
  | {
      readonly kind: 'locality';
      readonly cluster: number;
      readonly locality: Locality;
      readonly priority: number;
    };

/** `users`: clients of sources that have it. */
export type Row = RowName & { users: number };

/** `intervalMs`: -1 if the report does not state it. `isCounted`: 1 while its requests in flight are in InFlightSums. */
export const clusterColumns = {
  ...{ reports: 0, firstAt: 1, lastAt: 2, intervalMs: 3, totalDropped: 4, isCounted: 5 },
} as const;
export const dropColumns = { count: 0 } as const;
/** `issuedUnknown`: reports that do not state it. `newest...`: of the newest report that names the locality. */
export const localityColumns = {
  ...{ successful: 0, errors: 1, issued: 2, issuedUnknown: 3, inProgress: 4 },
  ...{ newestSuccessful: 5, newestErrors: 6, newestIntervalMs: 7 },
} as const;
export const columnCount = 8;

/** A client, as one source reports it: rows of numbers, side by side. */
export interface ClientSums {
  readonly sourceId: string;
  readonly clientId: string;
  readonly vantage: Vantage;
  /** Row -> its place in `counts`. */
  readonly places: Map<number, number>;
  readonly counts: CountColumn;
  isRemoved: boolean;
}
