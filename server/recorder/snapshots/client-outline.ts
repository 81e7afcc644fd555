import type { ClientReport, ClientState } from '@/lib/observation/client-state';
import type { StoredRows } from './stored-rows';

/** A client as it is sent between threads, without its stored rows, which are read chunk by chunk. */
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
  /** Changes since the stored rows, as layers for parseChanges(). */
  readonly changed: readonly string[];
}
