'use client';

import type { FileImport } from '@/lib/api/imports';
import { isRunning } from '@/lib/api/is-running';
import { useImports } from './queries';

/** The import that is reading this client; null: none; undefined: not known yet. */
export function useRunningImport(clientId: string): FileImport | null | undefined {
  const { data: imports } = useImports();
  return imports && (imports.find((each) => isRunning(each) && each.clientIds.includes(clientId)) ?? null);
}
