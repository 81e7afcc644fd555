import { Agent } from 'node:http';
import fc from 'fast-check';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ResourceState } from '@/lib/observation/resource-state';
import { AdminReader } from '@/server/collect/envoy-admin/admin-reader';
import { ConfigRequests } from '@/server/collect/envoy-admin/config-requests';
import { EnvoyAdminPoller } from '@/server/collect/envoy-admin/poll';
import { requestAdmin } from '@/server/collect/envoy-admin/request-admin';
import { type Emission, systemClock } from '@/server/observe';
import { type EnvoyAdmin, type EnvoyState, type Masks, startEnvoyAdmin } from '@/tests/support/envoy-admin';
import { patienceMs } from '@/tests/support/patience';
import '@/tests/support/seeded-properties';
import { runs } from '@/tests/support/runs';

const whole = '/config_dump?include_eds';
const answers = new AdminReader({ redactionKey: Buffer.from('tests') });
afterAll(() => answers.close());

function someState(): EnvoyState {
  return {
    nodeId: 'edge-1',
    version: '1.30.1',
    clusters: { orders: { version: '1' }, users: { version: '1' } },
    listeners: { http: { version: '1' } },
    hosts: { orders: { '10.0.0.1:80': {} }, users: { '10.0.1.1:80': {} } },
    certificates: [],
  };
}

class Watched {
  readonly rows = new Map<string, ResourceState>();
  reported = 0;

  constructor(
    readonly envoy: EnvoyAdmin,
    readonly poller: EnvoyAdminPoller,
  ) {}

  take({ observation }: Emission): void {
    if (observation.kind !== 'client-config-changed') return;
    this.reported += 1;
    for (const row of observation.changed) this.rows.set(`${row.typeUrl} ${row.name}`, row);
    for (const { typeUrl, name } of observation.removed) this.rows.delete(`${typeUrl} ${name}`);
  }

  /** Sorted; /server_info and /clusters are the same by any way. */
  config(): Omit<ResourceState, 'changedAt'>[] {
    return [...this.rows]
      .filter(([key]) => !key.includes('envoy.admin.'))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, { changedAt: _, ...row }]) => row);
  }

  wholes(): number {
    return this.envoy.questions.filter((path) => path === whole).length;
  }

  /** Resolves when all earlier requests are answered and read, and `times` more for the config. */
  async polls(times: number): Promise<void> {
    const isConfig = (path: string) => path === whole || path.includes('dynamic_active_clusters');
    const { length } = this.envoy.questions;
    await until(() => this.envoy.questions.slice(length).filter(isConfig).length > times * 2);
    const { answers: read } = this.poller.status;
    await until(() => this.poller.status.answers > read);
  }
}

async function watch(state: EnvoyState, masks: Masks = 'served'): Promise<Watched> {
  const envoy = await startEnvoyAdmin(state, 0, masks);
  onTestFinished(() => envoy.close());
  const poller = new EnvoyAdminPoller({
    sourceId: `envoy-admin:${envoy.target}`,
    target: envoy.target,
    intervalMs: 20,
    maxBackoffMs: 50,
    observe: (emission) => watched.take(emission),
    clock: systemClock,
    answers,
    random: () => 0.5,
    onStatus: () => undefined,
  });
  const watched = new Watched(envoy, poller);
  onTestFinished(() => poller.close());
  poller.start();
  await until(() => poller.status.state === 'up');
  return watched;
}

async function until(condition: () => unknown): Promise<void> {
  await vi.waitUntil(condition, { timeout: patienceMs(60_000), interval: 2 });
}

/** The changes of an Envoy that can happen between two polls. Envoy dates each of them by a version of its own. */
const events: readonly ((state: EnvoyState, version: string) => void)[] = [
  (state, version) => {
    state.clusters = { ...state.clusters, orders: { version } };
  },
  (state, version) => {
    state.clusters = { ...state.clusters, [`late-${version}`]: { version, stage: 'warming' } };
  },
  (state) => {
    const active = Object.entries(state.clusters).map(([name, { version }]) => [name, { version }]);
    state.clusters = Object.fromEntries(active);
  },
  (state, version) => {
    state.clusters = { users: { version, error: `users: no such thing as ${version}` } };
  },
  (state, version) => {
    state.listeners = { http: { version, draining: '0' }, [`l-${version}`]: { version } };
  },
  (state, version) => {
    state.listeners = { http: { version: '1', error: { details: 'no such filter', version } } };
  },
  (state, version) => {
    state.routes = { ...state.routes, [`r-${version}`]: { version } };
  },
  (state) => {
    state.routes = {};
  },
  (state, version) => {
    state.secrets = { cert: { version } };
  },
  (state, version) => {
    state.hosts = { ...state.hosts, orders: { [`10.0.0.${version}:80`]: {} } };
  },
  (state) => {
    state.hosts = {};
  },
  (state) => {
    [state.clusters, state.hosts, state.secrets] = [{}, {}, undefined];
  },
];

describe('the config of an Envoy that is requested with masks', () => {
  it('equals the state by whole dumps at every moment, after any changes', async () => {
    const happen = fc.array(fc.constantFrom(...events), { minLength: 10, maxLength: 10 });
    await fc.assert(
      fc.asyncProperty(happen, async (happened) => {
        const state = someState();
        const byMasks = await watch(state);
        const byWholes = await watch(state, 'ignored');
        expect(byMasks.config()).toEqual(byWholes.config());
        for (const [index, event] of happened.entries()) {
          event(state, String(index + 2));
          await Promise.all([byMasks.polls(1), byWholes.polls(1)]);
          expect(byMasks.config(), String(event)).toEqual(byWholes.config());
        }
        expect(byMasks.poller.status.notes).toEqual([]);
        expect(byMasks.wholes()).toBeLessThan(byWholes.wholes());
        await Promise.all([byMasks.poller.close(), byWholes.poller.close()]);
      }),
      { numRuns: runs(3), endOnFailure: true },
    );
  });

  it('is requested as a whole once, and again after a change, a removal, or enough time', async () => {
    const state = someState();
    const watched = await watch(state);
    const { envoy } = watched;
    await watched.polls(2);
    expect(watched.wholes()).toBe(1);
    state.hosts = { orders: { '10.0.0.9:80': {} } };
    await watched.polls(1);
    expect(watched.wholes()).toBe(1);
    expect([...watched.rows.keys()].filter((key) => key.includes('LoadAssignment'))).toHaveLength(1);
    state.clusters = { orders: { version: '1' } };
    await watched.polls(1);
    expect(watched.wholes()).toBe(2);
    expect([...watched.rows.keys()].filter((key) => key.endsWith('.Cluster users'))).toEqual([]);
    const { length } = envoy.questions;
    await until(() => watched.wholes() > 2);
    const light = envoy.questions.slice(length).filter((path) => path.includes('dynamic_active_clusters'));
    expect(light.length).toBeGreaterThan(10);
    expect(light.length).toBeLessThan(22);
    expect(envoy.mostAtOnce()).toBe(1);
  });

  it.each([
    [
      'ignores them',
      'ignored',
      '1.30.1',
      'a request for dynamic_active_clusters alone got an answer with something else',
    ],
    ['rejects them', 'rejected', '1.30.1', 'a request for dynamic_active_clusters alone got 127.0.0.1'],
    ['may end at one', 'served', '1.27.3', 'before 1.28, and this one is 1.27'],
    ['reports no version', 'served', 'dev', 'reports no version'],
  ] as const)(
    'is requested as a whole each time if Envoy %s, and a note of the source has the reason',
    async (_, masks, version, why) => {
      const state = { ...someState(), version };
      const watched = await watch(state, masks);
      await watched.polls(1);
      expect(watched.wholes()).toBeGreaterThan(2);
      expect(watched.poller.status.notes).toEqual([expect.stringContaining(why)]);
      const masked = watched.envoy.questions.filter((path) => path.includes('mask='));
      expect(masked.length).toBe(masks === 'served' ? 0 : 1);
      state.clusters = { orders: { version: '2' } };
      await watched.polls(1);
      expect(watched.config().filter(({ typeUrl }) => typeUrl.endsWith('.Cluster'))).toMatchObject([
        { name: 'orders', versionInfo: '2' },
      ]);
    },
  );

  it('costs a fraction of whole dumps: 2,000 clusters of 2 hosts, over 10 polls', async () => {
    const state = someState();
    const names = Array.from(
      { length: 2_000 },
      (_, index) => `outbound|80||service-${index}.shop.svc.cluster.local`,
    );
    state.clusters = Object.fromEntries(
      names.map((name) => [name, { version: '1', filler: 'x'.repeat(1_500) }]),
    );
    state.hosts = Object.fromEntries(
      names.map((name, index) => {
        const address = `10.${index >> 8}.${index & 255}`;
        return [name, { [`${address}.1:80`]: {}, [`${address}.2:80`]: {} }];
      }),
    );
    const bytesOf = async (masks: Masks): Promise<number> => {
      const envoy = await startEnvoyAdmin(state, 0, masks);
      const target = { host: '127.0.0.1', port: envoy.port, text: envoy.target };
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const options = { target, agent, clock: systemClock, deadlineMs: 30_000 };
      const requests = new ConfigRequests((request) => requestAdmin(request, options, () => undefined));
      for (let poll = 0; poll < 10; poll += 1) await requests.next({ major: 1, minor: 30 });
      agent.destroy();
      await envoy.close();
      return envoy.sizes.reduce((sum, size) => sum + size);
    };
    const byMasks = await bytesOf('served');
    const byWholes = await bytesOf('ignored');
    const share = Math.round((byMasks / byWholes) * 100);
    process.stdout.write(
      `10 polls: ${byMasks} bytes by masks, ${byWholes} as a whole each time: ${share} %\n`,
    );
    expect(share).toBeLessThan(50);
  });
});
