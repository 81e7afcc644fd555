import { describe, expect, it } from 'vitest';
import { createCodec, type ReportedResource } from '@/server/codec/codec';
import { compareAnswers } from '@/server/collect/poll-diff/compare-answers';
import { hasCorpus, readCapture, readCorpus } from '@/tests/support/builders/codec-corpus';
import { clientWithClusters, csdsAnswer } from '@/tests/support/csds-server';

const codec = createCodec({ redactionKey: Buffer.from('tests') });
const phases = ['0-early', '1-acked', '2-nacked', '3-recovered-deleted', '4-late'] as const;

async function readPhase(client: string, phase: (typeof phases)[number]) {
  const answer = await codec.decodeClientStatus(readCapture(client, `csds-${phase}.bin`));
  expect(answer.clients).toHaveLength(1);
  const [reported] = answer.clients;
  if (reported === undefined) throw new Error('no client');
  return { ...answer, reported, rows: new Map(reported.resources.map((row) => [row.name, row])) };
}

/** Each test is a row of spec/real-clients.md. */
describe('real clients, as captured', () => {
  describe.each(['js', 'py151', 'go164'])('%s', (client) => {
    it('reports one client without a scope', async () => {
      const { reported } = await readPhase(client, '1-acked');
      expect(reported.node.id).toBe(`peer-${client}`);
      expect(reported.scope).toBe('');
      expect(reported.node.userAgentName).toMatch(/^gRPC /);
      expect(new Set(reported.resources.map(({ configStatus }) => configStatus))).toEqual(
        new Set(['UNKNOWN']),
      );
    });

    it('prefixes all type URLs', async () => {
      const { reported } = await readPhase(client, '1-acked');
      for (const { typeUrl } of reported.resources)
        expect(typeUrl).toMatch(/^type\.googleapis\.com\/envoy\./);
    });

    it('reports four NACKs with their reasons in phase 2', async () => {
      const { rows } = await readPhase(client, '2-nacked');
      const nacked = [...rows.values()].filter(({ clientStatus }) => clientStatus === 'NACKED');
      expect(nacked.map(({ name }) => name).sort()).toEqual(['cl-a-eds', 'cl-b', 'rt-a', 'svc-inline']);
      for (const { errorState, versionInfo } of nacked) {
        expect(errorState?.details).not.toBe('');
        expect(errorState?.versionInfo).toBe('v2');
        expect(errorState?.lastUpdateAttempt).toBeGreaterThan(1.7e12);
        expect(versionInfo).toBe('v1');
      }
    });

    it('reports no update time for a resource that was never received', async () => {
      const { rows } = await readPhase(client, '1-acked');
      expect(rows.get('svc-missing')).toMatchObject({
        clientStatus: 'REQUESTED',
        lastUpdated: null,
        hash: null,
        versionInfo: '',
      });
      const late = await readPhase(client, '4-late');
      expect(late.rows.get('svc-missing')).toMatchObject({
        clientStatus: 'DOES_NOT_EXIST',
        lastUpdated: null,
      });
    });

    it('reports only the changed resources from phase to phase', async () => {
      let known: Parameters<typeof compareAnswers>[0] = new Map();
      const reported: string[][] = [];
      for (const phase of phases) {
        const { clients } = await readPhase(client, phase);
        const { observations, next } = compareAnswers(known, clients, {
          sourceId: 's',
          vantage: 'csds',
          at: 1,
          side: 'auto',
        });
        known = next;
        for (const observation of observations) {
          if (observation.kind !== 'client-config-changed') throw new Error(observation.kind);
          expect(observation.side).toBe('client');
          reported.push(observation.changed.map(({ name }) => name).sort());
        }
      }
      expect(reported[0]).toHaveLength(8);
      expect(reported.at(-1)).toContain('svc-missing');
    });
  });

  // grpc-js-xds reports it as failed_configuration.
  it.each(['js', 'py151', 'go164'])('%s: a NACKed row has only the last good body', async (client) => {
    const before = await readPhase(client, '1-acked');
    const { rows } = await readPhase(client, '2-nacked');
    expect(rows.get('cl-b')?.hash).toBe(before.rows.get('cl-b')?.hash);
    expect(rows.get('cl-b')?.errorState?.failedHash).toBeNull();
  });

  it.each([
    ['js', 'v1'],
    ['py151', 'v1'],
    ['go164', 'v2'],
  ])('%s: an unchanged resource that is sent again at v2 has version %s', async (client, version) => {
    expect((await readPhase(client, '2-nacked')).rows.get('cl-a')?.versionInfo).toBe(version);
  });

  it.each<[string, Partial<ReportedResource>]>([
    ['js', { versionInfo: 'v1', hash: null }],
    ['py151', { versionInfo: 'v1', hash: expect.any(String) }],
    ['go164', { versionInfo: '', hash: null, errorState: null }],
  ])('%s: a deleted listener', async (client, reported) => {
    const { rows } = await readPhase(client, '3-recovered-deleted');
    expect(rows.get('svc-inline')).toMatchObject({ clientStatus: 'DOES_NOT_EXIST', ...reported });
  });

  it('py151: stays NACKED after the earlier good config is sent again', async () => {
    const { rows } = await readPhase('py151', '3-recovered-deleted');
    expect(rows.get('cl-b')?.clientStatus).toBe('NACKED');
  });

  it.skipIf(!hasCorpus)(
    'Traffic Director, by xds_config: one row a resource of each dump (skipped without ../shared/corpus)',
    async () => {
      const dump = readCorpus('real', 'grpcdebug', 'internal__testing__testserver__csds_config_dump.json');
      const { clients, bodies } = await codec.decodeClientStatus(csdsAnswer(JSON.parse(dump.toString())));
      const rows = clients[0]?.resources ?? [];
      expect(new Set(rows.map(({ typeUrl }) => typeUrl.split('.').at(-1)))).toEqual(
        new Set(['Listener', 'RouteConfiguration', 'Cluster', 'ClusterLoadAssignment']),
      );
      for (const row of rows) {
        expect(row).toMatchObject({ clientStatus: 'ACKED', configStatus: 'UNKNOWN', errorState: null });
        expect(row.name).not.toBe('');
        expect(row.lastUpdated).toBeGreaterThan(1.6e12);
        expect(bodies.some(({ hash }) => hash === row.hash)).toBe(true);
      }
    },
  );
});

const cluster = (name: string) => ({ '@type': 'type.googleapis.com/envoy.config.cluster.v3.Cluster', name });

async function readRows(config: object): Promise<readonly ReportedResource[]> {
  const { clients } = await codec.decodeClientStatus(csdsAnswer({ config: [config] }));
  return clients[0]?.resources ?? [];
}

describe('decodeClientStatus() of the deprecated xds_config', () => {
  it('reads active, warming, static and failed resources', async () => {
    const rows = await readRows({
      xdsConfig: [
        {
          clusterConfig: {
            versionInfo: '9',
            staticClusters: [{ cluster: cluster('static') }],
            dynamicActiveClusters: [{ versionInfo: '1', cluster: cluster('active'), clientStatus: 'ACKED' }],
            dynamicWarmingClusters: [
              { versionInfo: '2', cluster: cluster('active') },
              {
                versionInfo: '2',
                cluster: cluster('warming'),
                errorState: { details: 'bad', versionInfo: '3' },
              },
            ],
          },
        },
        {
          listenerConfig: {
            dynamicListeners: [
              { name: 'known by name only', clientStatus: 'REQUESTED' },
              { name: 'w', warmingState: { versionInfo: '7' }, clientStatus: 'NACKED' },
            ],
          },
        },
      ],
    });
    expect(
      rows.map(({ name, versionInfo, clientStatus, isStatic }) => [
        name,
        versionInfo,
        clientStatus,
        isStatic,
      ]),
    ).toEqual(
      [
        ['known by name only', '', 'REQUESTED', false],
        ['w', '7', 'NACKED', false],
        ['active', '1', 'ACKED', false],
        ['warming', '2', 'UNKNOWN', false],
        ['static', '', 'UNKNOWN', true],
      ].sort((a, b) => rows.findIndex((r) => r.name === a[0]) - rows.findIndex((r) => r.name === b[0])),
    );
    expect(rows.find(({ name }) => name === 'warming')?.errorState?.details).toBe('bad');
  });

  it('applies the statuses of a type to its resources, and reports a type without resources as a row', async () => {
    const rows = await readRows({
      xdsConfig: [
        {
          status: 'STALE',
          clientStatus: 'CLIENT_NACKED',
          clusterConfig: { dynamicActiveClusters: [{ cluster: cluster('a') }] },
        },
        { status: 'NOT_SENT', routeConfig: {} },
        { endpointConfig: {} },
      ],
    });
    expect(rows.map(({ name, clientStatus, configStatus }) => [name, clientStatus, configStatus])).toEqual([
      ['a', 'NACKED', 'STALE'],
      ['', 'UNKNOWN', 'NOT_SENT'],
    ]);
  });

  it('prefers generic_xds_configs for a type that is in both', async () => {
    const generic = clientWithClusters('n', { g: '1' });
    const rows = await readRows({
      ...generic,
      xdsConfig: [
        { clusterConfig: { staticClusters: [{ cluster: cluster('old') }] } },
        { listenerConfig: { dynamicListeners: [{ name: 'l' }] } },
      ],
    });
    expect(rows.map(({ name }) => name)).toEqual(['g', 'l']);
  });
});

describe('decodeClientStatus', () => {
  const typeUrl = 'type.googleapis.com/envoy.config.cluster.v3.Cluster';
  const row = async (reported: object) => (await readRows({ genericXdsConfigs: [reported] }))[0];

  it.each([
    ['unset', undefined, null],
    ['zero', '1970-01-01T00:00:00Z', null],
    ['of year 1, as Go writes it', '0001-01-01T00:00:00Z', null],
    ['real', '2026-01-02T03:04:05.678Z', Date.parse('2026-01-02T03:04:05.678Z')],
  ])('a time that is %s', async (_, lastUpdated, expected) => {
    expect((await row({ typeUrl, name: 'x', ...(lastUpdated && { lastUpdated }) }))?.lastUpdated).toBe(
      expected,
    );
  });

  it('reads the type and the name from the body if the row has none', async () => {
    expect(await row({ xdsConfig: cluster('inside') })).toMatchObject({ typeUrl, name: 'inside' });
  });

  it('adds the prefix to a type URL without it', async () => {
    expect((await row({ typeUrl: 'envoy.config.cluster.v3.Cluster', name: 'x' }))?.typeUrl).toBe(typeUrl);
  });

  const oldCluster = { '@type': 'type.googleapis.com/envoy.api.v2.Cluster', name: 'old' };

  it.each([
    ['by the type of the row', { typeUrl: 'envoy.api.v2.Cluster', name: 'old' }],
    ['by the type of its body', { typeUrl, xdsConfig: oldCluster }],
    ['by its body alone', { xdsConfig: oldCluster }],
  ])('reads a resource of the v2 API as its v3 twin, and marks it: %s', async (_how, fields) => {
    const answer = await codec.decodeClientStatus(csdsAnswer({ config: [{ genericXdsConfigs: [fields] }] }));
    expect(answer.clients[0]?.resources).toMatchObject([{ typeUrl, name: 'old', apiVersion: 'v2' }]);
    for (const body of answer.bodies) expect(body.typeUrl).toBe(typeUrl);
  });

  it('marks a v2 body of a dump', async () => {
    const active = { versionInfo: '1', cluster: oldCluster };
    const xdsConfig = [{ clusterConfig: { dynamicActiveClusters: [active] } }];
    const answer = await codec.decodeClientStatus(csdsAnswer({ config: [{ xdsConfig }] }));
    expect(answer.clients[0]?.resources).toMatchObject([{ typeUrl, name: 'old', apiVersion: 'v2' }]);
  });

  it('reads an unknown enum value as UNKNOWN', async () => {
    expect(await row({ typeUrl, name: 'x', clientStatus: 99, configStatus: 99 })).toMatchObject({
      clientStatus: 'UNKNOWN',
      configStatus: 'UNKNOWN',
    });
  });

  it('keeps a row for each resource with the same name, whatever their order', async () => {
    const clusterOf = (altStatName: string) => ({
      ...{ typeUrl, name: 'x', versionInfo: altStatName },
      xdsConfig: { '@type': typeUrl, name: 'x', altStatName },
    });
    const both = [clusterOf('1'), clusterOf('2')];
    const unnamed = { typeUrl, versionInfo: '3' };
    const single = { typeUrl, name: 'y (duplicate 2)' };
    const rowsOf = async (genericXdsConfigs: object[]) => {
      const answer = await codec.decodeClientStatus(csdsAnswer({ config: [{ genericXdsConfigs }] }));
      expect(answer.notes).toEqual([]);
      return new Map(answer.clients[0]?.resources.map(({ name, versionInfo }) => [name, versionInfo]));
    };
    const rows = await rowsOf([...both, unnamed, unnamed]);
    expect([...rows.keys()]).toEqual(['x', 'x (duplicate 2)', '', '(empty name) (duplicate 2)']);
    expect(await rowsOf([...both.toReversed(), unnamed, unnamed])).toEqual(rows);
    expect([...(await rowsOf([single])).keys()]).toEqual(['y (duplicate 2)']);
    const real = { ...clusterOf('real'), name: 'x (duplicate 2)' };
    for (const all of [
      [real, ...both],
      [...both, real],
    ]) {
      const found = await rowsOf(all);
      expect([...found.keys()].sort()).toEqual(['x', 'x (duplicate 2)', 'x (duplicate 3)']);
      expect(found.get('x (duplicate 2)')).toBe('real');
    }
  });

  it('redacts bodies and metadata', async () => {
    const canary = 'CANARY-77';
    const answer = await codec.decodeClientStatus(
      csdsAnswer({
        config: [
          {
            node: { id: 'n', metadata: { API_KEY: canary, plain: 'x' } },
            genericXdsConfigs: [
              {
                xdsConfig: {
                  '@type': 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret',
                  name: 's',
                  genericSecret: { secret: { inlineString: canary } },
                },
                errorState: {
                  failedConfiguration: {
                    '@type': 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret',
                    name: 's',
                    tlsCertificate: { privateKey: { inlineString: canary } },
                  },
                },
              },
            ],
          },
        ],
      }),
    );
    expect(answer.clients[0]?.node.metadata).toMatchObject({ plain: 'x' });
    expect(JSON.stringify(answer)).not.toContain(canary);
    expect(answer.bodies).toHaveLength(2);
    for (const { bytes } of answer.bodies) expect(Buffer.from(bytes).includes(canary)).toBe(false);
  });

  it('keeps the bytes of a body that is no protobuf', async () => {
    const bytes = Buffer.from('0a0b1a092a07', 'hex');
    // The Any in config { generic_xds_configs { xds_config } } is truncated, so that the answer is rejected with a
    // reason.
    await expect(codec.decodeClientStatus(bytes)).rejects.toThrow(
      'expected a ClientStatusResponse, got 6 bytes',
    );
  });

  it('replaces invalid UTF-8 in names, and adds a note', async () => {
    const answer = csdsAnswer({ config: [{ genericXdsConfigs: [{ typeUrl, name: 'AB' }] }] });
    answer[answer.indexOf('AB')] = 0xff;
    const { clients, notes } = await codec.decodeClientStatus(answer);
    expect(clients[0]?.resources[0]?.name).toBe('\ufffdB');
    expect(notes).toHaveLength(1);
  });
});
