import type { FileImport } from './imports';

export function isRunning({ state }: Pick<FileImport, 'state'>): boolean {
  return ['receiving', 'waiting', 'unpacking', 'reading'].includes(state);
}
