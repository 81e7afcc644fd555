import { afterAll, afterEach, beforeEach, vi } from 'vitest';
import type { ClientConfigChanged, ConnectionsChanged, Observation } from '@/lib/observation/observation';
import type { ResourceState } from '@/lib/observation/resource-state';
import { AdminReader } from '@/server/collect/envoy-admin/admin-reader';
import { EnvoyAdminPoller, type EnvoyAdminPollerOptions } from '@/server/collect/envoy-admin/poll';
import { type Emission, systemClock } from '@/server/observe';
import { patienceMs } from '@/tests/support/patience';
import { type EnvoyAdmin, type EnvoyState, startEnvoyAdmin } from './envoy-admin';

const healthy = { eds_health_status: 'HEALTHY' };

export function someState(): EnvoyState {
  return {
    nodeId: 'edge-1',
    version: '1.30.1',
    clusters: { orders: { version: '1' }, users: { version: '1' } },
    listeners: { http: { version: '1' } },
    hosts: { orders: { '10.0.0.1:80': healthy, '10.0.0.2:80': healthy } },
    certificates: [
      {
        ca_cert: [],
        cert_chain: [
          {
            path: '/etc/tls/tls.crt',
            serial_number: '2a',
            subject_alt_names: [{ dns: 'edge.example' }],
            days_until_expiration: '20',
            valid_from: '2026-01-01T00:00:00Z',
            expiration_time: '2026-03-01T00:00:00Z',
          },
        ],
      },
    ],
  };
}

/** Pollers of one test file, what they emit, and the Envoys that they poll; each test begins with none. */
export function startPollerStory() {
  const answers = new AdminReader({ redactionKey: Buffer.from('tests') });
  afterAll(() => answers.close());
  const emissions: Emission[] = [];
  const cleanUps: (() => unknown)[] = [];

  beforeEach(() => {
    emissions.length = 0;
  });

  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });

  async function serve(state = someState(), port = 0): Promise<EnvoyAdmin> {
    const envoy = await startEnvoyAdmin(state, port);
    cleanUps.push(() => envoy.close());
    return envoy;
  }

  function poll(target: string, options: Partial<EnvoyAdminPollerOptions> = {}): EnvoyAdminPoller {
    const poller = new EnvoyAdminPoller({
      sourceId: `envoy-admin:${target}`,
      target,
      intervalMs: 30,
      maxBackoffMs: 50,
      observe: (emission) => emissions.push(emission),
      clock: systemClock,
      answers,
      random: () => 0.5,
      onStatus: () => undefined,
      ...options,
    });
    cleanUps.push(() => poller.close());
    poller.start();
    return poller;
  }

  function observed(): Observation[] {
    return emissions.map(({ observation }) => observation);
  }

  function connections(): ConnectionsChanged[] {
    return observed().filter((observation) => observation.kind === 'connections-changed');
  }

  function changes(): ClientConfigChanged[] {
    return observed().filter((observation) => observation.kind === 'client-config-changed');
  }

  async function until(condition: () => unknown): Promise<void> {
    await vi.waitUntil(condition, { timeout: patienceMs(60_000), interval: 5 });
  }

  /** The newest state of each row. */
  function rowsNow(): Map<string, ResourceState> {
    const rows = new Map<string, ResourceState>();
    for (const { changed, removed } of changes()) {
      for (const row of changed) rows.set(`${row.typeUrl.split('.').at(-1)} ${row.name}`, row);
      for (const { typeUrl, name } of removed) rows.delete(`${typeUrl.split('.').at(-1)} ${name}`);
    }
    return rows;
  }

  /** Envoy was asked everything `times` more often than until now, and its answers were read. */
  async function rounds(poller: EnvoyAdminPoller, envoy: EnvoyAdmin, times: number): Promise<void> {
    const before = envoy.questions.length;
    const isServerInfo = (url: string): boolean => url === '/server_info';
    await until(() => envoy.questions.slice(before).filter(isServerInfo).length >= times);
    const { answers: reported } = poller.status;
    await until(() => poller.status.answers > reported);
  }

  return {
    answers,
    emissions,
    cleanUps,
    serve,
    poll,
    observed,
    connections,
    changes,
    until,
    rowsNow,
    rounds,
  };
}
