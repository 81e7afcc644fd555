import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Collector } from '@/server/collect/collector/collector';
import { systemClock } from '@/server/observe';
import type { CollectorSetups } from '@/server/sources/collector-program';
import { startEnvoyAdmin } from '@/tests/support/envoy-admin';
import { patienceMs } from '@/tests/support/patience';

test('the thread ends with its last source, and a source that is added later starts another one', async () => {
  const envoy = await startEnvoyAdmin({
    ...{ nodeId: 'edge-1', version: '1.30.1', listeners: {}, hosts: {}, certificates: [] },
    clusters: { orders: { version: '1' } },
  });
  onTestFinished(() => envoy.close());
  const workers: Worker[] = [];
  const onWorker = (worker: Worker) => void workers.push(worker);
  process.on('worker', onWorker);
  onTestFinished(() => void process.off('worker', onWorker));
  const keepPace = () => Promise.resolve();
  const collector = new Collector<CollectorSetups>({
    ...{ redactionKey: Buffer.from('tests'), clock: systemClock, keepPace },
  });
  onTestFinished(() => collector.close());
  let observed = 0;
  const open = (sourceId: string) =>
    collector.open('envoy-admin', {
      ...{ sourceId, vantage: 'envoy-admin', clock: systemClock, onStatus: () => undefined },
      observe: () => {
        observed += 1;
      },
      setup: { target: envoy.target, isNamed: false, intervalMs: 30 },
    });
  const reports = async (source: ReturnType<typeof open>): Promise<void> => {
    const before = observed;
    source.start();
    await vi.waitFor(() => expect(observed).toBeGreaterThan(before), { timeout: patienceMs(60_000) });
  };

  const [first, second] = [open('envoy-admin:a'), open('envoy-admin:b')];
  await reports(first);
  await first.close();
  await reports(second);
  expect(workers).toHaveLength(1);
  const [worker] = workers as [Worker];
  const ended = once(worker, 'exit');
  await second.close();
  await ended;

  await reports(open('envoy-admin:c'));
  expect(workers).toHaveLength(2);
});
