import { describe, expect, it } from 'vitest';
import { planReport } from '@/server/codec/dump-parser/plan-report';
import { readReport } from '@/server/codec/dump-parser/read-report';
import { createRedactionMarker } from '@/server/codec/redaction-marker';
import { messageType } from '@/server/codec/root';

const marker = createRedactionMarker(Buffer.from('tests'));

const type = 'type.googleapis.com/envoy.config.cluster.v3.Cluster';
const node = { id: 'shop-1', cluster: 'shop' };

function rejectionOf(content: object | Uint8Array): string[] {
  const bytes = content instanceof Uint8Array ? content : Buffer.from(JSON.stringify(content));
  const { reports, problems } = planReport(bytes);
  expect(reports).toEqual([]);
  return problems.map(({ place, reason }) => `${place}: ${reason}`);
}

function encode(name: string, message: object): Uint8Array {
  const found = messageType(`envoy.service.${name}`);
  return found.encode(found.fromObject(message)).finish();
}

describe('a document without resources is rejected with its kind', () => {
  const none = ': expected a document with xDS resources in it, got';

  it.each([
    ['the first request of a stream', { node, typeUrl: type }, 'a DiscoveryRequest'],
    ['an ACK', { versionInfo: '1', typeUrl: type, responseNonce: 'n' }, 'a DiscoveryRequest'],
    ['a NACK', { typeUrl: type, responseNonce: 'n', errorDetail: { code: 3 } }, 'a DiscoveryRequest'],
    ['a delta request', { typeUrl: type, resourceNamesSubscribe: ['a'] }, 'a DeltaDiscoveryRequest'],
    ['a load report', { clusterStats: [{ clusterName: 'a' }] }, 'a load report, which has none'],
    ["gRPC's bootstrap", { xds_servers: [], node }, 'a bootstrap of gRPC, which has none'],
    ['a CSDS request', { node_matchers: [] }, 'a CSDS request'],
    ['a Kubernetes object', { apiVersion: 'v1', kind: 'Service', spec: {} }, 'an object of Kubernetes'],
    ['nothing', {}, 'an empty object'],
    ['an empty list', [], 'an empty list'],
  ])('%s', (_, content, expected) => {
    const rejections = rejectionOf(content);
    expect(rejections).toHaveLength(1);
    expect(rejections[0]).toContain(`${none} ${expected}`);
  });

  it('in protobuf as well', () => {
    const request = encode('discovery.v3.DiscoveryRequest', { versionInfo: '', node, typeUrl: type });
    expect(rejectionOf(request)[0]).toMatch(/got a DiscoveryRequest: only the answer to it has resources$/);
    const report = encode('load_stats.v3.LoadStatsRequest', { clusterStats: [{ clusterName: 'a' }] });
    expect(rejectionOf(report)[0]).toMatch(/got a load report, which has none/);
  });

  it('once for a list of similar elements, without quoting them', () => {
    const secrets = [{ password: 'hunter2' }, { password: 'hunter3' }];
    expect(rejectionOf(secrets)).toEqual([`${none} a list of 2, each of them an object with password`]);
  });

  it('but resources in a Kubernetes object are shown', () => {
    const cluster = { '@type': type, name: 'orders' };
    const { reports, problems } = planReport(
      Buffer.from(JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', data: { one: cluster } })),
    );
    expect(reports).toHaveLength(1);
    expect(problems).toEqual([]);
  });
});

describe('a CSDS answer whose rows have no body', () => {
  const row = { typeUrl: type, name: 'orders', versionInfo: '3', clientStatus: 'ACKED' };
  const answer = { config: [{ node, genericXdsConfigs: [row] }] };
  const perType = {
    config: [{ node, xdsConfig: [{ listenerConfig: { dynamicListeners: [{ name: 'web' }] } }] }],
  };

  it.each([
    ['JSON', Buffer.from(JSON.stringify(answer))],
    ['protobuf', encode('status.v3.ClientStatusResponse', answer)],
    ['a ClientConfig in protobuf', encode('status.v3.ClientConfig', answer.config[0] ?? {})],
  ])('has its rows with status and version: %s', (_, bytes) => {
    const { reports, problems } = planReport(bytes);
    expect(problems).toEqual([]);
    const rows = reports.flatMap((report) => [...readReport(report, marker)].flatMap((batch) => batch.rows));
    expect(rows).toMatchObject([{ name: 'orders', versionInfo: '3', clientStatus: 'ACKED', hash: null }]);
  });

  it('by type has its rows as well', () => {
    for (const bytes of [
      Buffer.from(JSON.stringify(perType)),
      encode('status.v3.ClientStatusResponse', perType),
    ]) {
      const { reports } = planReport(bytes);
      const rows = reports.flatMap((report) => [...readReport(report, marker)].flatMap((each) => each.rows));
      expect(rows.map(({ name }) => name)).toEqual(['web']);
    }
  });
});

describe('a truncated document is named as such, with the byte at which it ends', () => {
  const cluster = { '@type': type, name: 'orders' };
  const dump = JSON.stringify({ configs: [{ static_clusters: [{ cluster }, { cluster }] }] });

  it('in JSON, of which the complete part is read', () => {
    const { reports, problems } = planReport(Buffer.from(dump.slice(0, -20)));
    expect(reports.map(({ elementCount }) => elementCount)).toEqual([1]);
    expect(problems).toEqual([
      {
        place: '',
        offset: dump.length - 20,
        reason: expect.stringMatching(`^the JSON is truncated: it ends .* at byte ${dump.length - 20}$`),
      },
    ]);
  });

  it('in protobuf', () => {
    const whole = encode('status.v3.ClientStatusResponse', {
      config: [{ node, genericXdsConfigs: [{ typeUrl: type, name: 'orders' }] }],
    });
    const [reason] = rejectionOf(whole.subarray(0, -5));
    expect(reason).toContain(
      `it is truncated: it ends at byte ${whole.length - 5}, and the field that begins`,
    );
  });
});
