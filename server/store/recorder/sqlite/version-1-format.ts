import type { FileFormat } from './open-database';

/** Recordings of this version are converted (version-1/convert.ts). */
export const version1: FileFormat = {
  what: 'a recording of xdscope',
  applicationId: 0x78647363,
  version: 1,
  tables: '',
  tableNames: [
    ...['blocks', 'block_index', 'block_parts', 'waiting', 'pins', 'gaps', 'bodies', 'body_packs'],
    ...['snapshots', 'snapshot_chunks', 'checkpoints', 'checkpoint_chunks', 'permalinks', 'permalink_bodies'],
  ],
  smallTables: ['blocks', 'gaps', 'pins', 'checkpoints', 'waiting'],
  pragmas: [],
};
