import type { ResourceRow } from '@/lib/observation/resource-row';
import { buildChanges, isVersionOnly, type RowChange } from '@/lib/views/changes/build-changes';
import type { ChangesQuery, ClientChange, ClientChanges } from '@/lib/views/changes/schema';
import { takeSteps } from '../../workers/threads/take-steps';
import type { ClientSubjects } from '../subjects/client-subjects';

/** Returns the difference of a client at two times in any order, or undefined if there is no such client. */
export async function findChanges(
  subjects: Pick<ClientSubjects, 'find'>,
  id: string,
  { from, to, kind, content, offset, limit }: ChangesQuery,
  signal?: AbortSignal,
): Promise<ClientChanges | undefined> {
  const before = await subjects.find(id, from, { field: 'from', signal });
  const after = await subjects.find(id, to, { field: 'to', signal });
  if (before?.moment === undefined || after === undefined) return undefined;
  const { changes, unchanged } = await takeSteps(buildChanges(before.rows, after.rows));
  const counts = { added: 0, removed: 0, changed: 0, versionOnly: 0, unchanged };
  for (const change of changes) {
    counts[change.kind] += 1;
    if (isVersionOnly(change)) counts.versionOnly += 1;
  }
  const wanted = changes.filter(
    (change) => (kind === undefined || change.kind === kind) && (content === 'all' || !isVersionOnly(change)),
  );
  return {
    clientId: id,
    from: before.moment,
    ...(after.moment && { to: after.moment }),
    counts,
    total: wanted.length,
    offset,
    items: wanted.slice(offset, offset + limit).flatMap(changeOf),
  };
}

function changeOf({ kind, before, after, differs }: RowChange): ClientChange[] {
  const row = after ?? before;
  if (row === undefined) return [];
  const { typeUrl, service, name } = row;
  const sides = { before: before && sideOf(before), after: after && sideOf(after) };
  return [{ kind, typeUrl, service, name, ...sides, differs: [...differs] }];
}

function sideOf({ versionInfo, hash, sizeBytes, state, changedAt }: ResourceRow) {
  return { versionInfo, hash, sizeBytes, state, changedAt };
}
