import type { ResourceRowJson } from '@/lib/views/resources/row-schema';
import type { StreamChange } from '@/lib/views/stream/schema';
import { CDS } from '@/lib/xds/resource-type';
import { clientSummary, notableEvent, resourceRow, source } from './fleet-fixtures';

export function clientChange(id: string, trouble = 0): StreamChange {
  const { waiting: _, ...client } = clientSummary({ id, nodeId: `node-${id}`, types: [], trouble });
  return {
    type: 'client',
    client: {
      ...client,
      types: [],
      reports: [],
      troubleSince: undefined,
      lastSeenAt: undefined,
      lastChangedAt: 0,
    },
  };
}

export function eventChange(seq: number, text = ''): StreamChange {
  return { type: 'event', event: notableEvent({ seq, text }) };
}

export function sourceChange(id: string, answers = 0): StreamChange {
  return { type: 'source', source: source({ id, answers }) };
}

export function rowOf(name: string, versionInfo = '1'): ResourceRowJson {
  return resourceRow({ name, versionInfo });
}

export function rowsChange(
  clientId: string,
  changed: readonly ResourceRowJson[],
  removed: readonly string[] = [],
): StreamChange {
  return {
    type: 'resources',
    clientId,
    changed,
    removed: removed.map((name) => ({ typeUrl: CDS.typeUrl, name })),
  };
}
