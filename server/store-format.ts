/** As FileFormat of the recorder's databases. The version of its tables is in the table store_version. */
export const storeFormat = {
  what: 'a store of xdscope',
  /** Distinguishes the file from any other SQLite file, and from a recording of version 1. */
  applicationId: 0x78647332,
  version: 0,
  tables: '',
  tableNames: [
    'log_heads',
    'observations',
    'terms',
    'texts',
    'payloads',
    'bodies',
    'state',
    'permalinks',
    'pins',
    'gaps',
  ],
  smallTables: ['log_heads', 'state', 'pins', 'gaps', 'collectors'],
  pragmas: [],
};

/** A newer program wrote the store. */
export class NewerStoreError extends Error {
  constructor(expected: number, found: number) {
    super(`expected a store of version ${expected} or older, got version ${found}`);
  }
}
