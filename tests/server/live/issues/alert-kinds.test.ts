import { rename } from 'node:fs/promises';
import { expect, it, onTestFinished } from 'vitest';
import type { Connection } from '@/lib/observation/connection';
import type { ClientConfigChanged } from '@/lib/observation/observation';
import type { ResourceState } from '@/lib/observation/resource-state';
import { issue } from '@/lib/views/issues/schema';
import type { Source } from '@/lib/views/sources/schema';
import { CDS, LDS } from '@/lib/xds/resource-type';
import { encodeBody } from '@/server/codec/encode-body';
import type { ProbeSource } from '@/server/live/propagation/variant-pairs';
import { emissions } from '@/tests/support/log-story';
import { clientAfter, readKnownBug } from '../../../support/builders/known-bug-recordings';
import { clusterLoad, loadReported, localityLoad } from '../../../support/builders/load-samples';
import { sampleNode, sampleReport, sampleResource } from '../../../support/builders/observation-samples';
import { bodyOf, resourceOf } from '../../../support/builders/recorder-emissions';
import {
  apiListener,
  edsCluster,
  endpoints,
  type MeshResource,
  routeConfig,
} from '../../../support/builders/topology-mesh';
import { openIssueStory } from '../../../support/issue-story';
import { openWholeRecorder } from '../../../support/open-recorder';
import { tempDataDir } from '../../../support/recorder-temp-dir';
import { waitUntil } from '../../../support/wait-until';

type Kind = (typeof issue.shape.kind.options)[number];
type Story = Awaited<ReturnType<typeof openIssueStory>>;

interface Case {
  /** The title of the alert. */
  readonly title: string;
  /** The titles of other alerts that the same observations lead to. */
  readonly others?: readonly string[];
  readonly options?: Parameters<typeof openIssueStory>[0];
  readonly begin: (story: Story) => void | Promise<void>;
  readonly end: (story: Story) => void | Promise<void>;
}

function report(story: Story, row: Partial<ResourceState>, over: Partial<ClientConfigChanged> = {}): void {
  const { clock } = story;
  const changed = [sampleResource({ changedAt: clock.now(), ...row })];
  story.observe(sampleReport({ at: clock.now(), changed, node: sampleNode('web'), ...over }));
}

/** A gRPC client reports resources with their bodies. */
function reportMesh(
  story: Story,
  resources: readonly MeshResource[],
  removed: readonly MeshResource[] = [],
): void {
  const at = story.clock.now();
  const bodies = resources.map(({ typeUrl, body = {} }) => bodyOf(encodeBody(typeUrl, body), typeUrl));
  const changed = resources.map(({ typeUrl, name }, index) =>
    resourceOf(name, { typeUrl, hash: bodies[index]?.hash ?? null, changedAt: at }),
  );
  const node = { ...sampleNode('web'), userAgentName: 'gRPC Go', userAgentVersion: '1.60.0' };
  story.observe(
    sampleReport({ at, changed, removed: removed.map(({ typeUrl, name }) => ({ typeUrl, name })), node }),
    bodies,
  );
}

const mesh = [
  apiListener('shop', { rds: 'r' }),
  routeConfig('r', { '': 'a' }),
  edsCluster('a'),
  endpoints('a', [{ zone: 'z', endpoints: ['10.0.0.1:1'] }]),
];

function reportChannel(story: Story, of: Partial<Connection>): void {
  const channel: Connection = {
    ...{
      id: 'channel 1',
      kind: 'channel',
      target: 'dns:///xds:18000',
      channels: [],
      isManagementServer: true,
    },
    ...{ state: 'READY', since: story.clock.now(), ...of },
  };
  story.observe({
    ...{ kind: 'connections-changed', at: story.clock.now(), vantage: 'channelz', sourceId: 'channelz:a:1' },
    ...{
      clientId: 'c1',
      node: sampleNode('web'),
      scope: '',
      connections: [channel],
      endedIds: [],
      isComplete: true,
    },
  });
}

/** A client receives and accepts the same clusters 12 times. */
function reportSpin(story: Story): void {
  const at = story.clock.now();
  const of = { at, vantage: 'tap', sourceId: 'tap:1', clientId: 'c1', streamId: 's1' } as const;
  const method = 'envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources';
  story.observe({
    ...{ ...of, kind: 'stream-opened', node: sampleNode('web'), scope: '', server: 'mesh:1', method },
  });
  const common = { ...of, typeUrl: CDS.typeUrl, versionInfo: '1', nonce: 'n' };
  for (let count = 0; count < 12; count += 1) {
    story.observe({ ...common, kind: 'response-received', sizeBytes: 1, resources: [], controlPlane: '' });
    story.observe({ ...common, kind: 'ack-sent', changed: [], removed: [] });
  }
}

function reportCertificate(story: Story, expiresInDays: number): void {
  const { clock, codec } = story;
  const typeUrl = 'type.googleapis.com/envoy.admin.v3.Certificates';
  const dayMs = 24 * 3_600_000;
  const chain = {
    ...{ path: '/certs/edge.pem', serialNumber: 'a1' },
    validFrom: new Date(clock.now() - 90 * dayMs).toISOString(),
    expirationTime: new Date(clock.now() + expiresInDays * dayMs).toISOString(),
  };
  const { body } = codec.sanitizeBody(
    typeUrl,
    codec.encode(typeUrl, { certificates: [{ certChain: [chain] }] }),
  );
  const row = resourceOf('certs', {
    ...{ typeUrl, clientStatus: 'UNKNOWN', configStatus: 'UNKNOWN', hash: body.hash, isStatic: true },
  });
  story.observe(sampleReport({ at: clock.now(), sourceId: 'envoy-admin:a:1', changed: [row] }), [body]);
}

function reportLoad(story: Story, minutes: number, errors: string): void {
  for (let minute = 0; minute < minutes; minute++) {
    story.clock.advance(60_000);
    const reported = [
      clusterLoad([localityLoad('a', { successful: '100', errors })], { intervalMs: 60_000 }),
    ];
    story.loads.observe(loadReported(story.clock.now() - 1, reported));
  }
}

const probeOf = (id: string, transport: 'ads' | 'delta-ads'): ProbeSource => ({
  ...{ id, target: 'mesh:1' },
  settings: {
    ...{ transport, apiVersion: 'v3', mode: 'observe', profile: 'core', errorModel: 'pre-a88' },
    ...{ nodeId: id, listeners: [], resources: {}, servers: [], authorities: [] },
  },
});
const reportProbe = (story: Story, sourceId: string, body: MeshResource): void => {
  const stored = bodyOf(encodeBody(body.typeUrl, body.body ?? {}), body.typeUrl);
  const changed = [resourceOf(body.name, { typeUrl: body.typeUrl, hash: stored.hash })];
  const probe = { vantage: 'probe', sourceId, clientId: sourceId, node: sampleNode(sourceId) } as const;
  story.observe(sampleReport({ ...probe, at: story.clock.now(), changed }), [stored]);
};

const movable = tempDataDir();
const absent = { typeUrl: LDS.typeUrl, name: 'shop', versionInfo: '', hash: null } as const;
const csds = { id: 'csds:a:1', kind: 'csds', label: 'a:1' } as Source;
const bug = readKnownBug('grpc-go-1.85.0-fallback');
const extensions = 'type.googleapis.com/envoy.extensions.filters';
const manager = {
  '@type': `${extensions}.network.http_connection_manager.v3.HttpConnectionManager`,
  routeConfig: {
    virtualHosts: [
      { name: 'all', domains: ['*'], routes: [{ match: { prefix: '' }, nonForwardingAction: {} }] },
    ],
  },
  httpFilters: [{ name: 'router', typedConfig: { '@type': `${extensions}.http.router.v3.Router` } }],
};
const javaServer: MeshResource = {
  ...{ typeUrl: LDS.typeUrl, name: 'server?listening_address=0.0.0.0:80' },
  body: {
    name: 'server?listening_address=0.0.0.0:80',
    address: { socketAddress: { address: '0.0.0.0', portValue: 81 } },
    filterChains: [{ filters: [{ name: 'manager', typedConfig: manager }] }],
  },
};

const cases: Readonly<Record<Kind, Case>> = {
  nack: {
    title: 'Cluster cart is rejected',
    begin: (story) =>
      report(story, {
        clientStatus: 'NACKED',
        errorState: {
          ...{ versionInfo: '2', details: 'no such policy', lastUpdateAttempt: null, failedHash: null },
        },
      }),
    end: (story) => report(story, { versionInfo: '3' }),
  },
  absent: {
    title: 'Listener shop does not exist',
    begin: (story) => report(story, { ...absent, clientStatus: 'DOES_NOT_EXIST' }),
    end: (story) => report(story, { ...absent, versionInfo: '2' }),
  },
  'received-error': {
    title: 'The management server reports an error for listener shop',
    begin: (story) => report(story, { ...absent, clientStatus: 'RECEIVED_ERROR' }),
    end: (story) => report(story, { ...absent, versionInfo: '2' }),
  },
  unanswered: {
    title: 'CDS responses are not acknowledged',
    begin: (story) =>
      report(story, { configStatus: 'STALE', clientStatus: 'UNKNOWN' }, {
        side: 'control-plane',
        vantage: 'istiod',
        sourceId: 'istiod:a:1',
      } as Partial<ClientConfigChanged>),
    end: (story) =>
      report(story, { configStatus: 'SYNCED', clientStatus: 'UNKNOWN' }, {
        side: 'control-plane',
        vantage: 'istiod',
        sourceId: 'istiod:a:1',
      } as Partial<ClientConfigChanged>),
  },
  unreached: {
    title: 'No response for LDS resources',
    begin: (story) => report(story, { ...absent, clientStatus: 'REQUESTED' }),
    end: (story) => report(story, { ...absent, versionInfo: '2' }),
  },
  unreachable: {
    title: 'Management server xds:18000 is unreachable',
    begin: (story) =>
      reportChannel(story, {
        state: 'TRANSIENT_FAILURE',
        failingSince: story.clock.now(),
        lastError: 'connection reset',
      }),
    end: (story) => reportChannel(story, {}),
  },
  tear: {
    title: 'Config tear',
    begin(story) {
      reportMesh(story, mesh);
      story.clock.advance(1_000);
      reportMesh(story, [], mesh.slice(2));
    },
    end: (story) => reportMesh(story, mesh),
  },
  finding: {
    title: 'is accepted and breaks rule S1',
    begin(story) {
      const node = { ...sampleNode('web'), userAgentName: 'gRPC Java', userAgentVersion: '1.60.0' };
      const stored = bodyOf(encodeBody(LDS.typeUrl, javaServer.body ?? {}), LDS.typeUrl);
      const changed = [resourceOf(javaServer.name, { typeUrl: LDS.typeUrl, hash: stored.hash })];
      story.observe(sampleReport({ at: story.clock.now(), changed, node }), [stored]);
    },
    end(story) {
      const node = { ...sampleNode('web'), userAgentName: 'gRPC Java', userAgentVersion: '1.60.0' };
      const { typeUrl, name } = javaServer;
      story.observe(sampleReport({ at: story.clock.now(), changed: [], removed: [{ typeUrl, name }], node }));
    },
  },
  notice: {
    title: 'Known bug: the config no longer changes since the return from the fallback server',
    // The recording has it, too.
    others: ['Listener svc-a does not exist'],
    begin(story) {
      const [first] = bug;
      story.clock.advance((first?.at ?? 0) - story.clock.now());
      for (const { observation, bodies } of emissions(bug)) {
        story.clock.advance(Math.max(0, observation.at - story.clock.now()));
        story.observe(observation, bodies);
      }
    },
    // The client is updated to a release without the bug.
    end: (story) => {
      const { clientId, node } = clientAfter(bug);
      const updated = { clientId, node: { ...node, userAgentVersion: '1.99.0' } };
      story.observe(sampleReport({ at: story.clock.now(), ...updated }));
    },
  },
  unserved: {
    title: 'Cluster a serves nothing',
    begin: (story) => reportMesh(story, [...mesh.slice(0, 3), endpoints('a', [])]),
    end: (story) => reportMesh(story, mesh),
  },
  certificate: {
    title: 'The certificate in /certs/edge.pem has expired',
    begin: (story) => reportCertificate(story, -1),
    end: (story) => reportCertificate(story, 90),
  },
  'load-errors': {
    title: 'Requests to cluster cart fail',
    begin: (story) => reportLoad(story, 3, '100'),
    end: (story) => reportLoad(story, 6, '0'),
  },
  'source-down': {
    title: 'CSDS source a:1 does not answer',
    options: { sources: [csds] },
    begin: (story) =>
      story.observe({
        ...{ kind: 'source-down', at: story.clock.now(), vantage: 'csds', sourceId: csds.id },
        problem: { code: 'CONNECTION_REFUSED', message: 'a:1: connection refused', hint: '' },
      }),
    end: (story) =>
      story.observe({ kind: 'source-up', at: story.clock.now(), vantage: 'csds', sourceId: csds.id }),
  },
  recorder: {
    title: 'Recording has stopped',
    async begin(story) {
      const recorder = await openWholeRecorder({ dataDir: movable });
      onTestFinished(() => recorder.close());
      await rename(movable, `${movable}-moved`);
      recorder.append({ observation: sampleReport(), bodies: [] });
      await waitUntil('it has stopped', async () => recorder.stats().state === 'stopped');
      story.recorder.current = recorder;
    },
    async end(story) {
      await rename(`${movable}-moved`, movable);
      const { current } = story.recorder;
      await waitUntil('it continues', async () => current.stats().state === 'recording');
    },
  },
  divergence: {
    title: 'mesh:1 sends different resources over state of the world and over delta (sotw-delta-divergence)',
    options: { probes: [probeOf('ads:a', 'ads'), probeOf('ads:b', 'delta-ads')] },
    begin(story) {
      reportProbe(story, 'ads:a', edsCluster('a', 'one'));
      reportProbe(story, 'ads:b', edsCluster('a', 'other'));
    },
    end: (story) => reportProbe(story, 'ads:b', edsCluster('a', 'one')),
  },
  spin: {
    title: 'mesh:1 repeats a response that has not changed',
    begin: reportSpin,
    end: (story) => story.clock.advance(2 * 60 * 60_000),
  },
};

it.each(issue.shape.kind.options)('an alert of the kind %s fires and is resolved', async (kind) => {
  const { title, others = [], options = {}, begin, end } = cases[kind];
  const story = await openIssueStory(options);
  const statuses = () =>
    story.receiver.received
      .filter(({ alerts }) => alerts[0]?.labels.kind === kind)
      .map(({ status, alerts }) => [status, alerts[0]?.fingerprint]);
  await begin(story);
  await story.settle();
  const [message] = story.receiver.received.filter(({ alerts }) => alerts[0]?.labels.kind === kind);
  const [alert] = message?.alerts ?? [];
  expect(story.receiver.received.map(({ alerts }) => alerts[0]?.annotations.summary)).toEqual([
    ...others,
    expect.stringContaining(title),
  ]);
  expect(alert).toMatchObject({ status: 'firing', endsAt: '0001-01-01T00:00:00Z' });
  await end(story);
  await story.settle();
  expect(statuses()).toEqual([
    ['firing', alert?.fingerprint],
    ['resolved', alert?.fingerprint],
  ]);
});
