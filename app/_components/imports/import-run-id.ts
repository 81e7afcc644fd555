import type { FileImport } from '@/lib/views/recording/import-schema';

/** Distinguishes repeated imports of one file name. */
export function importRunId({ id, startedAt }: Pick<FileImport, 'id' | 'startedAt'>): string {
  return `${id} ${startedAt}`;
}
