import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { CDS } from '@/lib/xds/resource-type';
import { messageType } from '@/server/codec/root';
import { Differ } from '@/server/diff/differ';
import { Compute } from '@/server/workers/compute';
import { startBodies } from '@/tests/support/builders/stored-bodies';
import { waitUntil } from '../../support/wait-until';

const folder = mkdtempSync(path.join(os.tmpdir(), 'xdscope-differ-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('Differ', () => {
  it('starts its thread before the first comparison when prepare() is called', async () => {
    const started = path.join(folder, 'started');
    const program = path.join(folder, 'worker.mjs');
    writeFileSync(
      program,
      `import { writeFileSync } from 'node:fs'; import { parentPort } from 'node:worker_threads';
      writeFileSync(${JSON.stringify(started)}, ''); parentPort.on('message', () => undefined);`,
    );
    const { recorder, close } = await startBodies();
    onTestFinished(close);
    const differ = new Differ({ recorder, compute: new Compute({ program }) });
    expect(existsSync(started)).toBe(false);
    differ.prepare();
    await waitUntil('it is started', () => existsSync(started));
    await differ.close();
  });

  it('compares small input itself while the thread starts', async () => {
    const started = path.join(folder, 'asked');
    const program = path.join(folder, 'silent.mjs');
    writeFileSync(
      program,
      `import { writeFileSync } from 'node:fs'; import { parentPort } from 'node:worker_threads';
      parentPort.on('message', () => writeFileSync(${JSON.stringify(started)}, ''));`,
    );
    const cluster = messageType('envoy.config.cluster.v3.Cluster');
    const { recorder, store: keep, close } = await startBodies();
    onTestFinished(close);
    const store = (hash: string, altStatName: string): string => {
      const bytes = cluster.encode(cluster.fromObject({ name: 'c', altStatName })).finish();
      keep({ hash, typeUrl: CDS.typeUrl, bytes });
      return hash;
    };
    const pairs = Array.from({ length: 300 }, (_, index) => ({
      typeUrl: CDS.typeUrl,
      left: store(`left ${index}`, 'x'.repeat(700)),
      right: store(`right ${index}`, 'y'.repeat(700)),
    }));
    const differ = new Differ({ recorder, compute: new Compute({ program }) });
    const outcomeOf = await differ.outcomes(pairs);
    expect(pairs.every((pair) => outcomeOf(pair)?.totals.changes === 1)).toBe(true);
    const large = {
      typeUrl: CDS.typeUrl,
      left: store('a', 'x'.repeat(40_000)),
      right: store('b', 'y'.repeat(40_000)),
    };
    expect(existsSync(started)).toBe(false);
    const coming = differ.outcomes([large]).catch(() => 'closed');
    await waitUntil('the thread is asked', () => existsSync(started));
    await differ.close();
    expect(await coming).toBe('closed');
  });
});
