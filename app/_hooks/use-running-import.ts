'use client';

import type { FileImport } from '@/lib/api/imports';
import { isRunning } from '@/lib/api/is-running';
import { useImports } from './queries';

/** The import that is still reading this client; null: none is. undefined: that is not known yet. */
export function useRunningImport(clientId: string): FileImport | null | undefined {
  const { data: imports } = useImports();
  return imports && (imports.find((each) => isRunning(each) && each.clientIds.includes(clientId)) ?? null);
}
