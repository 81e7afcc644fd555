import type { FileImport } from '@/lib/views/recording/import-schema';
import { importIdOf } from './running-imports';
import type { SavedImport } from './saved-imports';

const mostClientIds = 10;

export function clientsOf(ids: ReadonlySet<string>): Pick<FileImport, 'clients' | 'clientIds'> {
  return { clients: ids.size, clientIds: [...ids].slice(0, mostClientIds) };
}

/** The view of a completed import. */
export function viewOfSaved(saved: SavedImport): FileImport {
  const { label, sizeBytes, addedAt, resources = 0, problems = 0, what = 'recording', bodies } = saved;
  return {
    id: importIdOf(label),
    label,
    state: 'done',
    progress: { done: sizeBytes, total: sizeBytes },
    what,
    sizeBytes,
    ...clientsOf(new Set(Object.keys(saved.clients))),
    resources: resources || bodies,
    problems,
    reason: '',
    startedAt: addedAt,
    endedAt: addedAt,
  };
}
