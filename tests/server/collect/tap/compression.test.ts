import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Observation } from '@/lib/observation/observation';
import { CDS } from '@/lib/xds/resource-type';
import { createCodec } from '@/server/codec/codec';
import type { CopyEvent } from '@/server/collect/tap/copy-events';
import { Recording } from '@/server/collect/tap/recording/recording';
import { findPython } from '@/server/lab/python-client/find-python';
import { projectRoot } from '@/server/project-root';
import { encodeMessage, packed, responseOf } from '@/tests/support/builders/xds-wire';
import { startRelay } from '@/tests/support/relay-story';
import { waitUntil } from '@/tests/support/wait-until';

const python = await findPython();

/** Resolves to the first line of the process. */
function startPeer(...args: readonly string[]): Promise<string> {
  const script = path.join(projectRoot, 'tests', 'support', 'compressing_peer.py');
  const command = python.kind === 'absent' ? '' : python.command;
  const child: ChildProcess = spawn(command, [script, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const { stdout } = child;
  if (stdout === null) throw new Error('expected a pipe');
  return new Promise((resolve, reject) => {
    createInterface(stdout).once('line', resolve);
    child.once('exit', (code) => reject(new Error(`the peer ended with ${code}`)));
  });
}

const padding = 'compresses well '.repeat(500);
const request = encodeMessage('envoy.service.discovery.v3.DiscoveryRequest', {
  node: { id: 'packed', userAgentName: padding },
  typeUrl: CDS.typeUrl,
});
const response = responseOf({
  ...{ versionInfo: '1', nonce: 'n', typeUrl: CDS.typeUrl },
  resources: [packed(CDS.typeUrl, { name: 'a', altStatName: padding })],
});

/** Both sides are C-core with gzip. */
describe.skipIf(python.kind === 'absent')('compressed messages', () => {
  it('are relayed unchanged and recorded decompressed', async () => {
    const port = await startPeer('server', response.toString('hex'));
    const relay = await startRelay(`127.0.0.1:${port}`);
    onTestFinished(() => relay.listener.close());
    const answer = await startPeer('client', relay.address, request.toString('hex'));
    expect(answer).toBe(response.toString('hex'));

    const seen: Observation[] = [];
    const codec = createCodec({ redactionKey: new Uint8Array(32) });
    onTestFinished(() => codec.close());
    const recording = new Recording({
      codec,
      onEmission: (_tap, { observation }) => seen.push(observation),
      onNote: (_tap, note) => expect(note).toBe(''),
      onTapClosed: () => {},
    });
    recording.addTap(1, 'tap:test');
    const passed: CopyEvent[] = [];
    await waitUntil('the answer is copied', () => {
      for (const batch of relay.batches.splice(0)) {
        passed.push(...batch.events);
        recording.record(batch);
      }
      return seen.some(({ kind }) => kind === 'response-received');
    });
    expect(passed[0]).toMatchObject({ kind: 'opened', encoding: 'gzip' });
    expect(passed.find(({ kind }) => kind === 'response-encoding')).toMatchObject({ encoding: 'gzip' });
    const bytes = passed.reduce((sum, each) => sum + (each.kind === 'data' ? each.sizeBytes : 0), 0);
    expect(bytes).toBeLessThan((request.length + response.length) / 10);
    expect(seen).toMatchObject([
      { kind: 'stream-opened', node: { id: 'packed' } },
      { kind: 'request-sent', typeUrl: CDS.typeUrl },
      { kind: 'response-received', nonce: 'n', sizeBytes: response.length, resources: [{ name: 'a' }] },
    ]);
  });
});
