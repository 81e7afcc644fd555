import type { CountColumn } from '../../load/count-column';
import type { Locality, Vantage } from '../../observation/observation';

export type RowName =
  | { readonly kind: 'cluster'; readonly clusterName: string; readonly clusterServiceName: string }
  | { readonly kind: 'drop'; readonly cluster: number; readonly category: string }
  | {
      readonly kind: 'locality';
      readonly cluster: number;
      readonly locality: Locality;
      readonly priority: number;
    };

/** `users` is the number of clients with the row. */
export type Row = RowName & { users: number };

/** `intervalMs` is -1 if it is not reported. `isCounted` is 1 while the requests in flight are in InFlightSums. */
export const clusterColumns = {
  ...{ reports: 0, firstAt: 1, lastAt: 2, intervalMs: 3, totalDropped: 4, isCounted: 5 },
} as const;
export const dropColumns = { count: 0 } as const;
/** `issuedUnknown` is the number of reports without it. `newest...` are those of the newest report on the locality. */
export const localityColumns = {
  ...{ successful: 0, errors: 1, issued: 2, issuedUnknown: 3, inProgress: 4 },
  ...{ newestSuccessful: 5, newestErrors: 6, newestIntervalMs: 7 },
} as const;
export const columnCount = 8;

export interface ClientSums {
  readonly sourceId: string;
  readonly clientId: string;
  readonly vantage: Vantage;
  /** The index in `counts`, by row. */
  readonly places: Map<number, number>;
  readonly counts: CountColumn;
  isRemoved: boolean;
}
