import type { ListenerNameTemplates } from '@/lib/xds/listener-name';
import type { KnownSettings } from '../../subjects/known-settings';

/**
 * The stored form of a permalink. It is a schema of its own, so that no change of the HTTP API changes it. A change of
 * this form gets the next version; every released version can be read. The golden files of tests/fixtures/permalinks
 * have one permalink of each kind.
 */

import * as z from 'zod';
import { trafficTurns } from '@/lib/lb/find-failovers';
import { effectStages } from '@/lib/observation/effect-stage';
import { waitingStates } from '@/lib/observation/find-waiting';
import { evidences, type ResourceRow } from '@/lib/observation/resource-row';
import { doubts } from '@/lib/observation/resource-state';
import { vantages } from '@/lib/observation/vantage';
import { probeProfiles } from '@/lib/xds/probe-choices';
import { profiles } from '@/lib/xds/profile';
import { clientStatuses, configStatuses, states } from '@/lib/xds/status';
import { storedConnections } from './stored-connections';
import type { StoredPropagation } from './stored-propagation';

const epochMs = z.number();
const state = z.enum(states);
const clientStatus = z.enum(clientStatuses);
const configStatus = z.enum(configStatuses);
const vantage = z.enum(vantages);
const side = z.enum(['client', 'control-plane']);
const freshness = z.enum(['live', 'stale', 'gone']);
const stage = z.enum(['active', 'warming', 'draining']);
const locality = z.object({ region: z.string(), zone: z.string(), subZone: z.string() });
const nonces = z.object({ sent: z.string(), acked: z.string() });

const moment = z.object({ at: epochMs, seq: z.number(), incomplete: z.string() });

const node = z.object({
  id: z.string(),
  cluster: z.string(),
  locality: locality.nullable(),
  userAgentName: z.string(),
  userAgentVersion: z.string(),
  clientFeatures: z.array(z.string()),
  metadata: z.record(z.string(), z.unknown()),
});

const report = z.object({
  sourceId: z.string(),
  vantage,
  originalVantage: vantage.optional(),
  side,
  target: z.string().optional(),
  firstSeenAt: epochMs,
  lastChangedAt: epochMs,
  lastSeenAt: epochMs.nullable(),
  freshness,
  reason: z.string(),
  clockSkew: z.object({ fromMs: z.number(), toMs: z.number() }).optional(),
  resources: z.number(),
});

const typeSummary = z.object({
  typeUrl: z.string(),
  service: z.string(),
  total: z.number(),
  byState: z.partialRecord(state, z.number()),
  byConfigStatus: z.partialRecord(configStatus, z.number()),
  sync: configStatus.optional(),
  worst: state.nullable(),
  versions: z.array(z.string()),
  lastChangedAt: epochMs.nullable(),
  sizeBytes: z.number().nullable(),
  v2: z.number().optional(),
  content: z.string(),
  unreported: z.number().optional(),
});

const typeSync = z.object({
  typeUrl: z.string(),
  service: z.string(),
  configStatus,
  lastUpdated: epochMs.nullable(),
  error: z.string(),
  doubt: z.enum(doubts).optional(),
  nonces: nonces.optional(),
});

const waiting = z.object({
  state: z.enum(waitingStates),
  resources: z.number(),
  typeUrl: z.string(),
  service: z.string(),
  name: z.string(),
  versionInfo: z.string(),
  since: epochMs,
  waitsFor: z.array(z.object({ typeUrl: z.string(), name: z.string() })).readonly(),
});

const client = z.object({
  id: z.string(),
  nodeId: z.string(),
  scope: z.string(),
  cluster: z.string(),
  locality: locality.nullable(),
  userAgent: z.string(),
  isProbe: z.boolean(),
  types: z.array(typeSummary),
  resources: z.number(),
  trouble: z.number(),
  troubleSince: epochMs.nullable(),
  worst: state.nullable(),
  troubleText: z.string(),
  waiting: z.array(waiting).optional(),
  freshness,
  reason: z.string(),
  lastSeenAt: epochMs.nullable(),
  lastChangedAt: epochMs,
  reports: z.array(report),
  duplicateNodeId: z.boolean(),
  processes: z.array(z.string()).readonly().optional(),
  node,
  sync: z.array(z.object({ sourceId: z.string(), freshness, types: z.array(typeSync) })).optional(),
  asClient: z.enum(probeProfiles).optional(),
  moment: moment.optional(),
});

export const storedRow = z.object({
  typeUrl: z.string(),
  service: z.string(),
  name: z.string(),
  versionInfo: z.string(),
  contentVersion: z.string().optional(),
  /** null: a document that a process reports about itself. */
  state: state.nullable(),
  clientStatus,
  configStatus,
  lastUpdated: epochMs.nullable(),
  errorState: z
    .object({
      details: z.string(),
      versionInfo: z.string(),
      lastUpdateAttempt: epochMs.nullable(),
      failedHash: z.string().nullable(),
      statistic: z.string().optional(),
      successes: z.number().optional(),
      mayBeInEffect: z.literal(true).optional(),
    })
    .nullable(),
  /** The hash of the body, which the recorder keeps as long as the permalink. */
  hash: z.string().nullable(),
  sizeBytes: z.number().nullable(),
  isStatic: z.boolean(),
  ambientError: z.object({ code: z.string(), details: z.string(), since: epochMs }).optional(),
  apiVersion: z.literal('v2').optional(),
  canonicalName: z.string().optional(),
  stage: stage.optional(),
  unanswered: z.object({ versionInfo: z.string(), at: epochMs, hash: z.string().nullable() }).optional(),
  otherVersions: z
    .array(
      z.object({
        stage,
        versionInfo: z.string(),
        lastUpdated: epochMs.nullable(),
        hash: z.string().nullable(),
        sizeBytes: z.number().nullable(),
      }),
    )
    .optional(),
  waitsFor: z
    .array(z.object({ typeUrl: z.string(), name: z.string() }))
    .readonly()
    .optional(),
  changedAt: epochMs,
  sourceId: z.string(),
  side,
  delivery: z
    .object({ authority: z.string().nullable(), servers: z.array(z.string()).readonly() })
    .optional(),
  answer: z
    .object({
      status: z.enum(['ACKED', 'NACKED', 'NO_ANSWER']),
      versionInfo: z.string(),
      at: epochMs.nullable(),
      sourceId: z.string(),
    })
    .nullable(),
  effect: z
    .object({
      stage: z.enum(effectStages),
      versionInfo: z.string(),
      hash: z.string().nullable(),
      since: epochMs.nullable(),
      evidence: z.enum(evidences),
      sourceId: z.string(),
    })
    .nullable(),
  controlPlane: z
    .object({
      sourceId: z.string(),
      versionInfo: z.string(),
      hash: z.string().nullable(),
      changedAt: epochMs,
    })
    .nullable(),
});

const reported = z.object({
  templates: z
    .object({
      clientDefault: z.string(),
      /** The key is the authority, whose name may be any text. */
      authorities: z.array(z.tuple([z.string(), z.string()])),
    })
    .nullable(),
  certificateProviders: z.array(z.string()).nullable(),
  asClient: z.enum(probeProfiles).nullable(),
});

/** Links that name the kind of a client were stored when the newest profile of each was the only one. */
const profilesOfKinds = { core: 'core-1.85', go: 'go-1.85', java: 'java-1.85', node: 'node-1.14' } as const;
const namedByKind = z.looseObject({ clientKind: z.enum(['core', 'go', 'java', 'node']) });

function nameProfile(stored: unknown): unknown {
  const { success, data } = namedByKind.safeParse(stored);
  if (!success) return stored;
  const { clientKind, ...others } = data;
  return { ...others, profile: profilesOfKinds[clientKind] };
}

const storedFailovers = z.object({
  clientId: z.string(),
  profile: z.enum(profiles),
  from: epochMs,
  to: epochMs,
  cluster: z.string().nullable(),
  beginsAt: epochMs.nullable(),
  hasOlder: z.boolean(),
  isCut: z.boolean(),
  total: z.number(),
  items: z.array(
    z.object({
      turn: z.enum(trafficTurns),
      fromAt: epochMs,
      toAt: epochMs.nullable(),
      priorities: z.array(z.string()),
      grpc: z.string().nullable(),
      envoy: z.array(z.number()),
      places: z
        .array(z.object({ cluster: z.string(), locality: z.string(), priority: z.number() }))
        .nullable(),
      grpcSentences: z.array(z.string()),
      envoySentences: z.array(z.string()),
      measured: z
        .array(
          z.object({
            cluster: z.string().optional(),
            locality: z.string(),
            requests: z.number(),
            share: z.number(),
          }),
        )
        .optional(),
    }),
  ),
});
const failovers = z.preprocess(nameProfile, storedFailovers);

const place = { locality, priority: z.number() };
const loadSeries = z.object({
  scope: z.object({
    sourceId: z.string(),
    vantage,
    clientId: z.string(),
    clusterName: z.string(),
    clusterServiceName: z.string(),
    stream: z.number(),
    isTimed: z.boolean(),
  }),
  part: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('cluster') }),
    z.object({ kind: z.literal('drop'), category: z.string() }),
    z.object({ kind: z.literal('locality'), ...place }),
    z.object({ kind: z.literal('endpoint'), ...place, address: z.string() }),
    z.object({ kind: z.literal('metric'), ...place, address: z.string(), name: z.string() }),
  ]),
});

/** Everything except the rows, which are written and read in steps because of their number. */
export const storedHead = z.object({
  version: z.literal(1),
  client,
  view: z.object({
    tab: z.string(),
    query: z.record(z.string(), z.string()),
    transform: z.object({ x: z.number(), y: z.number(), k: z.number() }).nullable(),
  }),
  reported,
  /** The stored time in the past; if absent, it is the time at which the permalink was created. */
  moment: moment.optional(),
  /** Stored for the tab failover: which priority received traffic when, up to the stored time. */
  failovers: failovers.optional(),
  /** Absent: no source reported connections. */
  connections: storedConnections.optional(),
  /** Stored for the tab load. */
  load: z
    .object({
      span: z.object({ from: z.number(), to: z.number() }),
      series: z.array(z.object({ id: z.number(), series: loadSeries })),
      stepMs: z.number(),
      /** LoadExcerpt.values in base64. */
      values: z.string(),
    })
    .optional(),
});

export type StoredHead = z.infer<typeof storedHead>;
export type StoredPermalink = StoredHead & {
  readonly resources: readonly ResourceRow[];
  /** Stored for the tab propagation. */
  readonly propagation?: StoredPropagation;
};

type StoredSettings = StoredHead['reported'];

export function storeSettings({
  templates,
  certificateProviders,
  ...reported
}: KnownSettings): StoredSettings {
  return {
    ...reported,
    certificateProviders: certificateProviders && [...certificateProviders],
    templates: templates && freezeTemplates(templates),
  };
}

function freezeTemplates({ clientDefault, authorities }: ListenerNameTemplates): StoredSettings['templates'] {
  const byAuthority = [...authorities].map(
    ([name, { clientListenerResourceNameTemplate }]): [string, string] => [
      name,
      clientListenerResourceNameTemplate,
    ],
  );
  return { clientDefault, authorities: byAuthority };
}

export function loadSettings({ templates, ...reported }: StoredSettings): KnownSettings {
  if (templates === null) return { ...reported, templates };
  const authorities = templates.authorities.map(
    ([name, clientListenerResourceNameTemplate]) => [name, { clientListenerResourceNameTemplate }] as const,
  );
  return {
    ...reported,
    templates: { clientDefault: templates.clientDefault, authorities: new Map(authorities) },
  };
}
