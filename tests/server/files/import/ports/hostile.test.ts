import { describe, expect, it } from 'vitest';
import { planReport } from '@/server/codec/dump-parser/plan-report';
import { readReport } from '@/server/codec/dump-parser/read-report';
import { parseYaml } from '@/server/codec/input/parse-notation';
import { createRedactionMarker } from '@/server/codec/redaction-marker';

const marker = createRedactionMarker(Buffer.from('tests'));
const type = (name: string): string => `type.googleapis.com/envoy.${name}`;
const cluster = (name: string) => ({
  '@type': type('config.cluster.v3.Cluster'),
  name,
  connect_timeout: '1s',
});

function read(content: unknown) {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  const plan = planReport(Buffer.from(text));
  const batches = plan.reports.flatMap((report) => [...readReport(report, marker)]);
  const problems = [...plan.problems, ...batches.flatMap((batch) => batch.problems)];
  return {
    rows: batches.flatMap(({ rows }) => rows),
    bodies: batches.flatMap(({ bodies }) => bodies),
    problems: problems.map(({ place, reason }) => (place === '' ? reason : `${place}: ${reason}`)),
  };
}

const clusters = (...items: unknown[]) => ({
  configs: [{ '@type': type('admin.v3.ClustersConfigDump'), dynamic_active_clusters: items }],
});

describe('a hostile file', () => {
  it('is read except for its broken parts', () => {
    const { rows, problems } = read(
      clusters(
        { cluster: cluster('a') },
        7,
        { cluster: [] },
        { cluster: { '@type': 'type.x/none', name: 'n' } },
        { cluster: cluster('b') },
      ),
    );
    expect(rows.map(({ name, hash }) => [name, hash !== null])).toEqual([
      ['a', true],
      ['', false],
      ['n', false],
      ['b', true],
    ]);
    expect(problems).toEqual([
      expect.stringMatching(/^configs\[0\]\.dynamic_active_clusters\[1\]: expected an object/),
      expect.stringMatching(
        /^configs\[0\]\.dynamic_active_clusters\[2\]\.cluster: expected a resource, got \[\]/,
      ),
      expect.stringMatching(
        /^configs\[0\]\.dynamic_active_clusters\[3\]\.cluster: the type "type\.x\/none" is not/,
      ),
    ]);
  });

  it('has the first of two equal resources, and a problem for the second', () => {
    const { rows, problems } = read(
      clusters({ cluster: cluster('a'), version_info: '1' }, { cluster: cluster('a'), version_info: '2' }),
    );
    expect(rows.map(({ versionInfo }) => versionInfo)).toEqual(['1']);
    expect(problems).toEqual([
      'configs[0].dynamic_active_clusters[1]: "a" (Cluster) is there twice; the first one counts',
    ]);
  });

  it('has warming versions in the rows of the active ones', () => {
    const dump = {
      configs: [
        {
          dynamic_active_clusters: [{ version_info: '1', cluster: cluster('a') }],
          dynamic_warming_clusters: [
            { version_info: '2', cluster: { ...cluster('a'), connect_timeout: '2s' } },
            { version_info: '2', cluster: cluster('new') },
          ],
        },
        {
          dynamic_listeners: [
            { name: 'gone', draining_state: { version_info: '1', listener: { name: 'gone' } } },
            { name: 'rejected', error_state: { details: 'no', version_info: '3' } },
          ],
        },
      ],
    };
    const { rows, problems } = read(dump);
    expect(problems).toEqual([]);
    const byName = new Map(rows.map((row) => [row.name, row]));
    expect(byName.get('a')).toMatchObject({
      versionInfo: '1',
      clientStatus: 'ACKED',
      otherVersions: [{ stage: 'warming', versionInfo: '2' }],
    });
    expect(byName.get('a')?.stage).toBe('active');
    expect(byName.get('new')).toMatchObject({ stage: 'warming' });
    expect(byName.get('gone')).toMatchObject({ stage: 'draining' });
    expect(byName.get('rejected')).toMatchObject({
      clientStatus: 'NACKED',
      hash: null,
      errorState: { details: 'no' },
    });
  });

  it('may have names of 16 MB and unclosed brackets', () => {
    const long = 'x'.repeat(16 * 1024 * 1024);
    const { rows } = read(clusters({ cluster: cluster(long) }));
    expect(rows.map(({ name }) => name.length)).toEqual([long.length]);
    const [twice] = read(clusters({ cluster: cluster(long) }, { cluster: cluster(long) })).problems;
    expect(twice?.length).toBeLessThan(200);
    expect(read('['.repeat(2_000_000)).problems).toEqual([
      expect.stringMatching(/expected at most 20 levels of nesting, got at least 21$/),
      expect.stringMatching(/^the JSON is truncated: it ends in the middle/),
    ]);
    const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
    const metadata = `{"filter_metadata":{"deep":${deep}}}`;
    const dump = JSON.stringify(
      clusters({ cluster: { ...cluster('a'), metadata: 0 } }, { cluster: cluster('b') }),
    );
    const { rows: kept, problems } = read(dump.replace('"metadata":0', `"metadata":${metadata}`));
    expect(kept.map(({ name }) => name)).toContain('b');
    expect(problems).toEqual([expect.stringMatching(/expected at most 500 levels of nesting, got 100004$/)]);
  });

  it('is read except for an object that exceeds a limit, which is reported', () => {
    const many = `{${Array.from({ length: 100_001 }, (_, at) => `"k${at}":1`).join(',')}}`;
    const reason = 'expected at most 100000 members in an object, got 100001';
    expect(read(many).problems).toEqual([reason]);
    expect(read(`{"a":{"b":${many}}}`).problems).toEqual([`a.b: ${reason}`]);
    expect(read(`[${many},{"b":${many}}]`).problems).toEqual([`[0]: ${reason}`, `[1].b: ${reason}`]);
    const dump = JSON.stringify({ ...clusters({ cluster: cluster('a') }), other: 0 });
    const { rows, problems } = read(dump.replace('"other":0', many.slice(1, -1)));
    expect(rows.map(({ name }) => name)).toEqual(['a']);
    expect(problems).toEqual([]);
  });

  it('has a limit of members only for values that are parsed in one go', () => {
    const keys = Array.from({ length: 99_999 }, (_, at) => `"k${at}":1`).join(',');
    const nine = `{${Array.from({ length: 9 }, (_, at) => `"x${at}":{${keys}}`).join(',')}}`;
    const reason = 'expected at most 800000 members in a document, got 900000';
    expect(read(nine).problems).toEqual([reason]);
    const metadata = `"metadata":{"filter_metadata":${nine}}`;
    const dump = JSON.stringify(
      clusters({ cluster: { ...cluster('a'), metadata: 0 } }, { cluster: cluster('b') }),
    );
    const { rows, problems } = read(dump.replace('"metadata":0', metadata));
    expect(rows.map(({ name }) => name)).toContain('b');
    expect(problems).toEqual([
      'configs[0].dynamic_active_clusters[0]: expected at most 800000 members in a document, got 900006',
    ]);
  });

  it('reports the limit of nesting if it has no other content', () => {
    const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
    expect(read(nested(500_000)).problems).toEqual(['a: expected at most 500 levels of nesting, got 499999']);
    expect(read(`{"b":{},"c":${nested(700)}}`).problems).toEqual([
      'c: expected at most 500 levels of nesting, got 700',
    ]);
    expect(read(nested(30)).problems).toEqual([
      expect.stringMatching(/^a(?:\.a){20}: expected at most 20 levels of nesting, got at least 21$/),
    ]);
  });

  it('is read element by element as YAML with too many members for one value', () => {
    const item = (at: number, other = '') =>
      `      - cluster:\n          "@type": ${type('config.cluster.v3.Cluster')}\n          name: c${at}\n${other}`;
    const head = `configs:\n  - "@type": ${type('admin.v3.ClustersConfigDump')}\n    dynamic_active_clusters:\n`;
    // Each of the 2,000 items has more than 75 of the 150,000 members.
    const many = `          metadata: {filter_metadata: {x: {l: [${'1,'.repeat(80)}1]}}}\n`;
    const yaml = head + Array.from({ length: 2_000 }, (_, at) => item(at, many)).join('');
    expect(parseYaml(yaml)).toMatchObject({
      ok: false,
      reason: expect.stringMatching(/^expected at most 150000 members/),
    });
    const { rows, problems } = read(yaml);
    expect(problems).toEqual([]);
    expect(rows).toHaveLength(2_000);
    const deep = `          metadata: ${'['.repeat(501)}${']'.repeat(501)}\n`;
    const withDeep = read(`${head}${item(0)}${deep}${item(1)}`);
    expect(withDeep.rows.map(({ name }) => name)).toContain('c1');
    expect(withDeep.problems).toEqual([
      'configs[0].dynamic_active_clusters[0]: expected at most 500 levels of nesting, got at least 501',
    ]);
    const flow = `other: ${'['.repeat(501)}${']'.repeat(501)}\n`;
    expect(read(flow + head + item(1)).rows.map(({ name }) => name)).toEqual(['c1']);
  });

  it('has no secret in any body', () => {
    const secret = {
      '@type': type('extensions.transport_sockets.tls.v3.Secret'),
      name: 's',
      tls_certificate: { private_key: { inline_string: 'very private' } },
    };
    const { bodies } = read({
      configs: [
        { dynamic_active_secrets: [{ name: 's', secret }] },
        { bootstrap: { node: { id: 'n' }, static_resources: { secrets: [secret] } } },
      ],
    });
    expect(bodies.length).toBeGreaterThan(1);
    for (const { bytes } of bodies) expect(Buffer.from(bytes).includes('very private')).toBe(false);
  });

  it('may contain the output of other commands of Envoy and Istio', () => {
    const hosts = {
      cluster_statuses: [
        {
          name: 'a',
          host_statuses: [
            {
              address: { socket_address: { address: '10.0.0.1', port_value: 80 } },
              health_status: { eds_health_status: 'HEALTHY', failed_active_health_check: true },
            },
          ],
        },
      ],
    };
    const server = { version: 'v', state: 'LIVE', command_line_options: { base_id: '0' }, node: { id: 'n' } };
    const certs = {
      certificates: [{ ca_cert: [], cert_chain: [{ path: 'x', days_until_expiration: '3' }] }],
    };
    const init = { unready_targets_dumps: [{ name: 'init manager a', target_names: ['x'] }] };
    const text = [hosts, server, certs, init, [cluster('listed')], cluster('alone')]
      .map((each) => JSON.stringify(each))
      .join('\n');
    const { rows, problems } = read(text);
    expect(problems).toEqual([]);
    expect(rows.map(({ typeUrl, name }) => `${typeUrl.split('.').at(-1)} ${name}`).sort()).toEqual([
      'Certificates certs',
      'Cluster alone',
      'Cluster listed',
      'ClusterStatus a',
      'ServerInfo server_info',
      'UnreadyTargetsDumps init_dump',
    ]);
  });
});
