import type { ClientReport, ClientState } from '@/lib/observation/client-state';
import type { StoredRows } from './stored-rows';

/** A client on its way between the threads without what is stored of its rows: that is read chunk by chunk. */
export interface ClientOutline {
  readonly client: Omit<ClientState, 'reports'>;
  readonly reports: readonly {
    /** Its key in ClientState.reports. */
    readonly key: string;
    readonly report: Omit<ClientReport, 'resources'>;
    readonly rows: OutlinedRows;
  }[];
}

export interface OutlinedRows {
  readonly stored: StoredRows | null;
  /** What changed since, as layers (parseChanges()), none of them large. */
  readonly changed: readonly string[];
}
