import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { CDS } from '@/lib/xds/resource-type';
import { messageType } from '@/server/codec/root';
import { sha256 } from '@/server/codec/sha256';
import { Differ } from '@/server/compute/diff/differ';
import { Compute } from '@/server/workers/compute';
import { startBodies } from '@/tests/support/builders/stored-bodies';
import { waitUntil } from '../../../support/wait-until';

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

  it('compares small input itself, and large input in its thread', async () => {
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
    const pairOf = (name: string, chars: number) => {
      const [left, right] = ['x', 'y'].map((letter) => {
        const altStatName = letter.repeat(chars);
        const bytes = cluster.encode(cluster.fromObject({ name: `c ${name}`, altStatName })).finish();
        const hash = sha256(bytes);
        keep({ hash, typeUrl: CDS.typeUrl, bytes });
        return hash;
      }) as [string, string];
      return { typeUrl: CDS.typeUrl, left, right };
    };
    const pairs = Array.from({ length: 20 }, (_, index) => pairOf(`${index}`, 300));
    const differ = new Differ({ recorder, compute: new Compute({ program }) });
    const outcomeOf = await differ.outcomes(pairs);
    expect(pairs.every((pair) => outcomeOf(pair)?.totals.changes === 1)).toBe(true);
    expect(existsSync(started)).toBe(false);
    const coming = differ.outcomes([pairOf('large', 40_000)]).catch(() => 'closed');
    await waitUntil('the thread is asked', () => existsSync(started));
    await differ.close();
    expect(await coming).toBe('closed');
  });
});
