import type { ClientSummary, NotableEvent, ResourceRowJson, Source } from '@/lib/api/schema';
import type { StreamChange } from '@/lib/api/stream';

const time = '2026-01-01T00:00:00.000Z';

export function clientChange(id: string, trouble = 0): StreamChange {
  const client: ClientSummary = {
    id,
    nodeId: `node-${id}`,
    scope: '',
    cluster: '',
    locality: null,
    userAgent: '',
    isProbe: false,
    types: [],
    resources: 0,
    trouble,
    worst: null,
    troubleText: '',
    freshness: 'live',
    reason: '',
    lastSeenAt: null,
    lastChangedAt: time,
    reports: [],
    duplicateNodeId: false,
  };
  return { type: 'client', client };
}

export function eventChange(seq: number, text = ''): StreamChange {
  const event: NotableEvent = {
    seq,
    at: time,
    kind: 'lab-event',
    vantage: 'lab',
    clientId: null,
    nodeId: null,
    sourceId: 'lab',
    typeUrl: null,
    resourceName: null,
    status: null,
    text,
    isTrouble: false,
  };
  return { type: 'event', event };
}

export function sourceChange(id: string, answers = 0): StreamChange {
  const source: Source = {
    id,
    kind: 'csds',
    target: id,
    label: id,
    origin: 'flag',
    security: 'plain',
    settings: null,
    listId: null,
    paused: false,
    state: 'up',
    health: 'answers',
    problem: null,
    notes: [],
    lastAttemptAt: null,
    lastSuccessAt: null,
    lastChangedAt: null,
    answerBytes: null,
    answers,
    failures: 0,
    latencyMs: null,
    intervalMs: null,
    clients: 0,
  };
  return { type: 'source', source };
}

export function rowOf(name: string, versionInfo = '1'): ResourceRowJson {
  return {
    typeUrl: 'type.googleapis.com/envoy.config.cluster.v3.Cluster',
    service: 'CDS',
    name,
    versionInfo,
    clientStatus: 'ACKED',
    configStatus: 'SYNCED',
    lastUpdated: null,
    errorState: null,
    hash: null,
    sizeBytes: null,
    isStatic: false,
    changedAt: time,
    sourceId: 'csds:a',
    side: 'client',
    controlPlane: null,
  };
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
    removed: removed.map((name) => ({ typeUrl: rowOf('').typeUrl, name })),
  };
}
