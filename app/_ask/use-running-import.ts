'use client';

import { useItems } from '@/app/_ask/use-question';
import type { FileImport } from '@/lib/views/recording/import-schema';
import { isRunning } from '@/lib/views/sources/is-running';

/** The import that is reading this client; null: none; undefined: not known yet. */
export function useRunningImport(clientId: string): FileImport | null | undefined {
  const { data: imports } = useItems('imports', {});
  return imports && (imports.find((each) => isRunning(each) && each.clientIds.includes(clientId)) ?? null);
}
