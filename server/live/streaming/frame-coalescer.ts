import { eventKey } from '@/lib/views/history/event-key';
import { mostRowsReported, type StreamChange } from '@/lib/views/stream/schema';

type ResourcesChange = Extract<StreamChange, { type: 'resources' }>;
type ResourcesRenewed = Extract<StreamChange, { type: 'resources-renewed' }>;

/** Limits the events in a frame; the newest remain. */
const maxEventsPerFrame = 500;

/** Returns the key of a change: of two changes with one key, the newer replaces the older. */
export function changeKey(change: StreamChange): string {
  switch (change.type) {
    case 'client':
      return `client:${change.client.id}`;
    case 'client-removed':
      return `client:${change.clientId}`;
    case 'fleet':
      return 'fleet';
    case 'event':
      return `event:${eventKey(change.event)}`;
    case 'source':
      return `source:${change.source.id}`;
    case 'source-removed':
      return `source:${change.sourceId}`;
    case 'replay':
      return `replay:${change.replay.id}`;
    case 'replay-removed':
      return `replay:${change.replayId}`;
    case 'import':
      return `import:${change.import.id}`;
    case 'import-removed':
      return `import:${change.importId}`;
    case 'resources':
    case 'resources-renewed':
      return `resources:${change.clientId}`;
    case 'lab':
      return 'lab';
    case 'load':
      return `load:${change.clientId ?? ''}`;
    case 'nacks':
      return 'nacks';
    case 'issues':
      return 'issues';
    case 'history':
      return `history:${change.clientId ?? ''}`;
  }
}

/**
 * Returns fewer changes with the same result, in the order of the newest change of each key. A reader that applies them
 * is in the same state as after all of `changes`; rows of one client are merged row by row.
 */
export function coalesceChanges(
  changes: Iterable<StreamChange>,
  maxEvents = maxEventsPerFrame,
): StreamChange[] {
  const newest = new Map<string, StreamChange>();
  const rowMerges = new Map<string, (ResourcesChange | ResourcesRenewed)[]>();
  const eventKeys: string[] = [];
  for (const change of changes) {
    const key = changeKey(change);
    if (change.type === 'event' && !newest.has(key)) eventKeys.push(key);
    if (change.type === 'resources' || change.type === 'resources-renewed') {
      const parts = rowMerges.get(key);
      if (parts) parts.push(change);
      else rowMerges.set(key, [change]);
    }
    // The key is deleted first, because a Map keeps the position of its first insertion.
    newest.delete(key);
    newest.set(key, change);
  }
  for (const key of eventKeys.slice(0, Math.max(0, eventKeys.length - maxEvents))) newest.delete(key);
  for (const [key, parts] of rowMerges) {
    if (parts.length > 1) newest.set(key, mergeRows(parts));
  }
  return [...newest.values()];
}

/** `parts` are changes of one client, oldest first. The last change of a row applies; too many are read again. */
function mergeRows(
  parts: readonly (ResourcesChange | ResourcesRenewed)[],
): ResourcesChange | ResourcesRenewed {
  const clientId = parts[0]?.clientId ?? '';
  const changed = new Map<string, ResourcesChange['changed'][number]>();
  const removed = new Map<string, ResourcesChange['removed'][number]>();
  for (const part of parts) {
    if (part.type === 'resources-renewed') return part;
    for (const row of part.removed) {
      changed.delete(rowKey(row));
      removed.set(rowKey(row), row);
    }
    for (const row of part.changed) {
      removed.delete(rowKey(row));
      changed.set(rowKey(row), row);
    }
  }
  if (changed.size + removed.size > mostRowsReported) return { type: 'resources-renewed', clientId };
  return {
    type: 'resources',
    clientId,
    changed: [...changed.values()],
    removed: [...removed.values()],
  };
}

function rowKey({ typeUrl, name }: { typeUrl: string; name: string }): string {
  return `${typeUrl}\u0000${name}`;
}
