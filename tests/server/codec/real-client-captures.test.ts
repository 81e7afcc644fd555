import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createCodec, type ReportedResource } from '@/server/codec/codec';
import { decodeLoadReport } from '@/server/collect/lrs/decode-load-report';
import { capturesDir, readCapture } from '@/tests/support/builders/codec-corpus';

const codec = createCodec({ redactionKey: Buffer.from('tests') });

/**
 * The resources in CSDS answers by client and phase (spec/real-clients.md): status, version ("-" if none), body ("b",
 * or "-" if none), and for an error its version and whether it has a body.
 */
const reported: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>> = {
  js: {
    // The endpoints of one cluster have not arrived.
    '0-early': {
      ...same('ACKED v1 b', ['svc-a', 'svc-inline', 'rt-a', 'cl-a', 'cl-b', 'cl-b-eds']),
      ...same('REQUESTED - -', ['svc-missing', 'cl-a-eds']),
    },
    '1-acked': {
      ...same('ACKED v1 b', ['svc-a', 'svc-inline', 'rt-a', 'cl-a', 'cl-b', 'cl-a-eds', 'cl-b-eds']),
      'svc-missing': 'REQUESTED - -',
    },
    // Rejected resources keep the last good body. Unchanged ones keep v1.
    '2-nacked': {
      ...same('NACKED v1 b error v2 -', ['svc-inline', 'rt-a', 'cl-b', 'cl-a-eds']),
      ...same('ACKED v1 b', ['svc-a', 'cl-a', 'cl-b-eds']),
      'svc-missing': 'REQUESTED - -',
    },
    '3-recovered-deleted': {
      ...same('ACKED v3 b', ['rt-a', 'cl-b', 'cl-a-eds']),
      ...same('ACKED v1 b', ['svc-a', 'cl-a', 'cl-b-eds']),
      'svc-inline': 'DOES_NOT_EXIST v1 -',
      'svc-missing': 'REQUESTED - -',
    },
    '4-late': {
      ...same('ACKED v3 b', ['rt-a', 'cl-b', 'cl-a-eds']),
      ...same('ACKED v1 b', ['svc-a', 'cl-a', 'cl-b-eds']),
      'svc-inline': 'DOES_NOT_EXIST v1 -',
      'svc-missing': 'DOES_NOT_EXIST - -',
    },
  },
  py151: {
    '0-early': {
      ...same('ACKED v1 b', ['svc-a', 'svc-inline', 'rt-a', 'cl-a', 'cl-b', 'cl-a-eds', 'cl-b-eds']),
      'svc-missing': 'REQUESTED - -',
    },
    '1-acked': {
      ...same('ACKED v1 b', ['svc-a', 'svc-inline', 'rt-a', 'cl-a', 'cl-b', 'cl-a-eds', 'cl-b-eds']),
      'svc-missing': 'REQUESTED - -',
    },
    // Rejected resources keep the last good body.
    '2-nacked': {
      ...same('NACKED v1 b error v2 -', ['svc-inline', 'rt-a', 'cl-b', 'cl-a-eds']),
      ...same('ACKED v1 b', ['svc-a', 'cl-a', 'cl-b-eds']),
      'svc-missing': 'REQUESTED - -',
    },
    // The previous good cluster was sent again and ACKed on the wire, but stays NACKED. A deleted resource keeps body
    // and version.
    '3-recovered-deleted': {
      ...same('ACKED v3 b', ['rt-a', 'cl-a-eds']),
      ...same('ACKED v1 b', ['svc-a', 'cl-a', 'cl-b-eds']),
      'cl-b': 'NACKED v1 b error v2 -',
      'svc-inline': 'DOES_NOT_EXIST v1 b',
      'svc-missing': 'REQUESTED - -',
    },
    '4-late': {
      ...same('ACKED v3 b', ['rt-a', 'cl-a-eds']),
      ...same('ACKED v1 b', ['svc-a', 'cl-a', 'cl-b-eds']),
      'cl-b': 'NACKED v1 b error v2 -',
      'svc-inline': 'DOES_NOT_EXIST v1 b',
      'svc-missing': 'DOES_NOT_EXIST - -',
    },
  },
  go164: {
    '0-early': {
      ...same('ACKED v1 b', ['svc-a', 'svc-inline', 'rt-a', 'cl-a', 'cl-b', 'cl-a-eds', 'cl-b-eds']),
      'svc-missing': 'REQUESTED - -',
    },
    '1-acked': {
      ...same('ACKED v1 b', ['svc-a', 'svc-inline', 'rt-a', 'cl-a', 'cl-b', 'cl-a-eds', 'cl-b-eds']),
      'svc-missing': 'REQUESTED - -',
    },
    // Unchanged resources have v2.
    '2-nacked': {
      ...same('NACKED v1 b error v2 -', ['svc-inline', 'rt-a', 'cl-b', 'cl-a-eds']),
      ...same('ACKED v2 b', ['svc-a', 'cl-a', 'cl-b-eds']),
      'svc-missing': 'REQUESTED - -',
    },
    // A deleted resource is not reported.
    '3-recovered-deleted': {
      ...same('ACKED v3 b', ['svc-a', 'rt-a', 'cl-a', 'cl-b', 'cl-a-eds', 'cl-b-eds']),
      'svc-inline': 'DOES_NOT_EXIST - -',
      'svc-missing': 'REQUESTED - -',
    },
    '4-late': {
      ...same('ACKED v3 b', ['svc-a', 'rt-a', 'cl-a', 'cl-b', 'cl-a-eds', 'cl-b-eds']),
      'svc-inline': 'DOES_NOT_EXIST - -',
      'svc-missing': 'DOES_NOT_EXIST - -',
    },
  },
};

/**
 * NACKs on the wire with code and version_info, which is the new one if part of the response was good, except for
 * grpc-go.
 */
const rejections: Readonly<Record<string, readonly string[]>> = {
  js: [
    'Cluster v2 code 14',
    'RouteConfiguration v1 code 14',
    'Listener v2 code 14',
    'ClusterLoadAssignment v2 code 14',
  ],
  py151: [
    'Cluster v2 code 3',
    'RouteConfiguration v1 code 3',
    'Listener v2 code 3',
    'ClusterLoadAssignment v2 code 3',
  ],
  go164: [
    'Cluster v1 code 3',
    'RouteConfiguration v1 code 3',
    'Listener v1 code 3',
    'ClusterLoadAssignment v1 code 3',
  ],
};

function same(text: string, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, text]));
}

function show({ clientStatus, versionInfo, hash, errorState }: ReportedResource): string {
  const row = `${clientStatus} ${versionInfo || '-'} ${hash === null ? '-' : 'b'}`;
  if (errorState === null) return row;
  expect(errorState.details).not.toBe('');
  return `${row} error ${errorState.versionInfo} ${errorState.failedHash === null ? '-' : 'b'}`;
}

function listRejections(client: string): string[] {
  const requests = readdirSync(path.join(capturesDir, client)).filter((name) =>
    /^ads-req-\d+\.bin$/.test(name),
  );
  return requests.flatMap((name) => {
    const bytes = readCapture(client, name);
    const { json } = codec.decode('envoy.service.discovery.v3.DiscoveryRequest', bytes);
    const { typeUrl, versionInfo, errorDetail } = json as {
      typeUrl: string;
      versionInfo: string;
      errorDetail?: { code: number };
    };
    return errorDetail === undefined
      ? []
      : [`${typeUrl.split('.').at(-1)} ${versionInfo} code ${errorDetail.code}`];
  });
}

describe('CSDS of real clients in all phases', () => {
  const cases = Object.entries(reported).flatMap(([client, phases]) =>
    Object.entries(phases).map(([phase, rows]) => [client, phase, rows] as const),
  );

  it.each(cases)('%s, %s: status, version, body and error of each resource', async (client, phase, rows) => {
    const { clients } = await codec.decodeClientStatus(readCapture(client, `csds-${phase}.bin`));
    expect(clients).toHaveLength(1);
    const resources = clients[0]?.resources ?? [];
    expect(Object.fromEntries(resources.map((row) => [row.name, show(row)]))).toEqual(rows);
    // No answer is of the control plane or has the older xds_config.
    expect(resources.every(({ configStatus, isStatic }) => configStatus === 'UNKNOWN' && !isStatic)).toBe(
      true,
    );
  });

  it.each(Object.entries(reported))(
    '%s reports the same in a stream and in a unary call',
    async (client, phases) => {
      const { clients } = await codec.decodeClientStatus(readCapture(client, 'csds-stream.bin'));
      const resources = clients.flatMap((each) => each.resources);
      expect(Object.fromEntries(resources.map((row) => [row.name, show(row)]))).toEqual(phases['4-late']);
    },
  );

  it('a server of grpc-js reports its rejected listener as its clients do', async () => {
    const rowsOf = async (phase: string) => {
      const { clients } = await codec.decodeClientStatus(readCapture('server-js', `${phase}.bin`));
      return clients.flatMap(({ resources }) => resources.map((row) => `${row.name}: ${show(row)}`));
    };
    const name = 'grpc/server?xds.resource.listening_address=127.0.0.1:29493';
    expect(await rowsOf('csds-acked')).toEqual([`${name}: ACKED v1 b`]);
    expect(await rowsOf('csds-nacked')).toEqual([`${name}: NACKED v1 b error v2 -`]);
  });

  it.each(Object.entries(rejections))('%s rejects with its own code and version', (client, texts) => {
    expect(listRejections(client).slice(0, 4)).toEqual(texts);
  });

  it('the body of a rejected resource is the last good one', async () => {
    const hashesIn = async (client: string, phase: string) => {
      const { clients } = await codec.decodeClientStatus(readCapture(client, `csds-${phase}.bin`));
      return new Map(clients[0]?.resources.map((row) => [row.name, row.hash]));
    };
    for (const client of Object.keys(reported)) {
      const [before, rejected] = [await hashesIn(client, '1-acked'), await hashesIn(client, '2-nacked')];
      for (const name of ['svc-inline', 'rt-a', 'cl-b', 'cl-a-eds']) {
        expect(rejected.get(name)).toBe(before.get(name));
        expect(rejected.get(name)).toEqual(expect.any(String));
      }
    }
  });
});

describe('load reports of real clients', () => {
  const reportsOf = (client: string) =>
    readdirSync(path.join(capturesDir, client))
      .filter((name) => /^lrs-req-\d+\.bin$/.test(name))
      .map((name) => decodeLoadReport(readCapture(client, name)))
      .flatMap((report) => (report.kind === 'report' && report.clusters.length > 0 ? [report.clusters] : []));

  it.each([
    ['js', [expect.any(Number)], true],
    ['py151', [expect.any(Number)], true],
    // 292 years are no interval, and issued requests are not reported.
    ['go164', [null], false],
  ] as const)(
    '%s: the interval of the first report, and whether issued requests are reported',
    (client, first, reportsIssued) => {
      const reports = reportsOf(client);
      expect(reports.length).toBeGreaterThan(3);
      expect(reports[0]?.map(({ intervalMs }) => intervalMs)).toEqual(reports[0]?.map(() => first[0]));
      for (const clusters of reports.slice(1)) {
        for (const { intervalMs } of clusters) expect(intervalMs).toBeLessThan(2_000);
      }
      const localities = reports.flat().flatMap((each) => each.localities);
      const ended = localities.filter(({ successful, errors }) => successful !== '0' || errors !== '0');
      expect(ended.length).toBeGreaterThan(3);
      expect(ended.every(({ issued }) => (issued !== null) === reportsIssued)).toBe(true);
    },
  );
});
