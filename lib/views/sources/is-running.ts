import type { FileImport } from '../recording/import-schema';

export function isRunning({ state }: Pick<FileImport, 'state'>): boolean {
  return ['receiving', 'waiting', 'unpacking', 'reading'].includes(state);
}
