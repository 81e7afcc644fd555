import { defineSourceKind } from '../collect/source-kind/source-kind';
import { fileSource } from './import/file-source';
import type { SavedImport } from './import/saved-imports';

interface FileSourceSetup {
  readonly kind: 'file';
  readonly saved: SavedImport;
}

/** Imported files. No option names one: files are uploaded, or are arguments of the command. */
export const fileKind = defineSourceKind<FileSourceSetup, unknown>()({
  kind: 'file',
  options: {},
  health: {
    connecting: 'is being imported',
    up: 'is imported',
    down: 'could not be imported',
    paused: 'is paused',
  },
  show: () => ({ security: 'plain' }),
  serversOf: () => [],
  start: ({ setup }) => fileSource(setup.saved),
});
