import type { ClientSummary, TypeSummary } from '@/lib/views/client/schema';
import type { NotableEvent } from '@/lib/views/events/schema';
import type { Health } from '@/lib/views/health/schema';
import type { ResourceRowJson } from '@/lib/views/resources/row-schema';
import type { Source } from '@/lib/views/sources/schema';
import { CDS } from '@/lib/xds/resource-type';
import { worstState } from '@/lib/xds/status';

const at = Date.parse('2026-01-02T03:04:05.000Z');

export function typeSummary(overrides: Partial<TypeSummary> = {}): TypeSummary {
  const byState = overrides.byState ?? { ACKED: 1 };
  return {
    typeUrl: CDS.typeUrl,
    service: CDS.service,
    total: Object.values(byState).reduce((sum, count) => sum + count, 0),
    byState,
    byConfigStatus: {},
    worst: worstState(Object.keys(byState) as (keyof typeof byState)[]),
    versions: ['1'],
    lastChangedAt: at,
    sizeBytes: 100,
    content: '',
    ...overrides,
  };
}

export function clientSummary(overrides: Partial<ClientSummary> = {}): ClientSummary {
  return {
    id: overrides.nodeId ?? 'client-a',
    nodeId: 'client-a',
    scope: '',
    cluster: 'shop',
    locality: { region: 'eu', zone: 'eu-1', subZone: 'rack-1' },
    userAgent: 'grpc-node-js 1.14.1',
    isProbe: false,
    types: [typeSummary()],
    resources: 1,
    trouble: 0,
    worst: 'ACKED',
    troubleText: '',
    troubleSince: undefined,
    freshness: 'live',
    reason: '',
    lastSeenAt: at,
    lastChangedAt: at,
    reports: [],
    duplicateNodeId: false,
    ...overrides,
  };
}

export function source(overrides: Partial<Source> = {}): Source {
  return {
    id: 'csds:127.0.0.1:1',
    kind: 'csds',
    target: '127.0.0.1:1',
    label: '127.0.0.1:1',
    origin: 'flag',
    security: 'plain',
    paused: false,
    state: 'up',
    health: 'answers',
    notes: [],
    lastAttemptAt: at,
    lastSuccessAt: at,
    lastChangedAt: at,
    answerBytes: 100,
    answers: 1,
    failures: 0,
    latencyMs: 1,
    intervalMs: 1_000,
    clients: 1,
    ...overrides,
  };
}

export function notableEvent(overrides: Partial<NotableEvent> = {}): NotableEvent {
  return {
    seq: 1,
    at,
    kind: 'nack-sent',
    vantage: 'csds',
    clientId: 'client-a',
    nodeId: 'client-a',
    sourceId: 'csds:127.0.0.1:1',
    typeUrl: CDS.typeUrl,
    resourceName: 'cart',
    status: 'NACKED',
    text: 'no',
    isTrouble: true,
    ...overrides,
  };
}

export function resourceRow(overrides: Partial<ResourceRowJson> = {}): ResourceRowJson {
  return {
    typeUrl: CDS.typeUrl,
    service: CDS.service,
    name: 'cart',
    versionInfo: '1',
    state: overrides.clientStatus ?? 'ACKED',
    clientStatus: 'ACKED',
    answer: null,
    effect: null,
    configStatus: 'UNKNOWN',
    lastUpdated: at,
    errorState: null,
    hash: null,
    sizeBytes: null,
    isStatic: false,
    changedAt: at,
    sourceId: 'csds:127.0.0.1:1',
    side: 'client',
    controlPlane: null,
    ...overrides,
  };
}

export function health(recorder: Partial<Health['recorder']> = {}): Health {
  return {
    status: 'ok',
    version: '0.1.0',
    startedAt: at,
    recorder: {
      state: 'recording',
      reason: '',
      observations: 1,
      bodies: 1,
      sizeBytes: 1,
      oldestAt: at,
      newestSeq: 1,
      missed: 0,
      notFollowed: 0,
      waiting: 0,
      gaps: { count: 0, observations: 0 },
      permalinks: { count: 0, sizeBytes: 0, limit: 10_000 },
      limits: { maxAgeMs: 604_800_000, maxBytes: 2_147_483_648 },
      growth: {},
      retentionProblem: '',
      ...recorder,
    },
    storage: { damaged: [], setAside: [], changed: [] },
    load: { reports: 0, missed: 0, leftOut: 0, problem: '' },
    sources: { total: 1, up: 1, down: 0, kinds: [] },
    csds: { answers: 0, undecoded: 0 },
    eventLoop: { p50Ms: 0, p99Ms: 0, maxMs: 0 },
    unhandledRejections: { count: 0, lastMessage: '' },
    lab: false,
  };
}
