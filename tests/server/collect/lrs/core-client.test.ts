import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { LoadReported } from '@/lib/observation/observation';
import { createCodec } from '@/server/codec/codec';
import { createLoadReportReceiver, type LoadReportReceiver } from '@/server/collect/lrs/load-report-receiver';
import { findPython } from '@/server/lab/python-client/find-python';
import { systemClock } from '@/server/observe';
import { encodeMessage } from '@/tests/support/builders/xds-wire';
import { until } from '@/tests/support/xds-probe-story';

const python = await findPython();
const script = fileURLToPath(new URL('../../../support/lrs-client.py', import.meta.url));

/** 300 clusters: some 100 kB, more than a window of HTTP/2. */
const report = encodeMessage('envoy.service.load_stats.v3.LoadStatsRequest', {
  node: { id: 'core', cluster: 'shop' },
  clusterStats: Array.from({ length: 300 }, (_, cluster) => ({
    clusterName: `outbound|8080||service-${cluster}.${'shop.'.repeat(40)}svc.cluster.local`,
    loadReportInterval: { seconds: 10 },
    upstreamLocalityStats: [{ locality: { zone: 'eu-1' }, totalSuccessfulRequests: 1 }],
  })),
});

describe('the LRS port, to a real C-core', () => {
  let receiver: LoadReportReceiver;
  let target: string;
  let seen: LoadReported[];

  beforeEach(async () => {
    seen = [];
    receiver = createLoadReportReceiver({
      ...{ sourceId: 'lrs', clock: systemClock, codec: createCodec({ redactionKey: new Uint8Array(32) }) },
      observe: ({ observation }) => {
        if (observation.kind === 'load-reported') seen.push(observation);
      },
      onStatus: () => {},
    });
    receiver.start();
    target = await receiver.listen({ port: 0 });
  });
  afterEach(() => receiver.close());

  test.skipIf(python.kind === 'absent')('three streams of one connection report, and end well', async () => {
    if (python.kind === 'absent') return;
    expect(report.length).toBeGreaterThan(65_535);
    const child = spawn(python.command, [script, target], { stdio: ['pipe', 'pipe', 'pipe'] });
    let [out, problems] = ['', ''];
    child.stdout.on('data', (text) => {
      out += text;
    });
    child.stderr.on('data', (text) => {
      problems += text;
    });
    child.stdin.end(Buffer.from(report).toString('hex'));
    const code = await new Promise((resolve) => child.on('close', resolve));
    expect(problems).toBe('');
    expect(code).toBe(0);
    expect(out.trim().split('\n').slice(3)).toEqual(['OK', 'OK', 'OK']);
    for (const bytes of out.trim().split('\n').slice(0, 3)) expect(Number(bytes)).toBeGreaterThan(0);
    await until(() => expect(sumOf(seen)).toBe(2 * 3 * 300));
    expect(new Set(seen.map(({ node }) => node.id))).toEqual(new Set(['core']));
    expect(new Set(seen.map(({ streamId }) => streamId)).size).toBe(3);
  });
});

function sumOf(reports: readonly LoadReported[]): number {
  return reports
    .flatMap(({ clusters }) => clusters)
    .flatMap(({ localities }) => localities)
    .reduce((sum, { successful }) => sum + Number(successful), 0);
}
