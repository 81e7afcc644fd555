import type { FileImport } from './imports';

export function isRunning({ state }: Pick<FileImport, 'state'>): boolean {
  return state === 'receiving' || state === 'unpacking' || state === 'reading';
}
