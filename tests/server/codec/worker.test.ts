import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Codec, createCodec } from '@/server/codec/codec';
import { CodecError } from '@/server/codec/codec-error';
import { Compute } from '@/server/workers/compute';

const redactionKey = Buffer.from('key of the tests');
const cluster = 'type.googleapis.com/envoy.config.cluster.v3.Cluster';

function codecWith({
  workerProgram: program,
  ...options
}: {
  inPlaceBytes?: number;
  deadlineMs?: number;
  workerProgram?: string;
}): Codec {
  const codec = createCodec({ redactionKey, compute: new Compute({ program }), ...options });
  onTestFinished(() => codec.close());
  return codec;
}

async function withProgram(source: string, use: (program: string) => Promise<void>): Promise<void> {
  const dir = await mkdtemp(path.join(tmpdir(), 'xdscope-codec-'));
  try {
    const program = path.join(dir, 'worker.mjs');
    writeFileSync(program, source);
    await use(program);
  } finally {
    await rm(dir, { recursive: true });
  }
}

describe('the codec worker', () => {
  it('returns the same as the codec in place', async () => {
    const inPlace = codecWith({});
    const inWorker = codecWith({ inPlaceBytes: 0 });
    const bytes = inPlace.encode(cluster, { name: 'a', connectTimeout: '1.5s', lbPolicy: 'RING_HASH' });
    const bodies = [
      { typeUrl: cluster, bytes },
      { typeUrl: 'type.googleapis.com/acme.Unknown', bytes: Buffer.from('abc') },
    ];
    expect(await inWorker.decodeMany(bodies)).toEqual(await inPlace.decodeMany(bodies));
    expect(await inWorker.render({ typeUrl: cluster, bytes }, 'yaml')).toEqual({
      text: 'name: a\nconnectTimeout: 1.500s\nlbPolicy: RING_HASH\n',
      opaque: [],
      unknown: [],
      v2: [],
      redacted: [],
    });
    expect(await inPlace.render({ typeUrl: cluster, bytes }, 'json')).toMatchObject({
      text: '{\n  "name": "a",\n  "connectTimeout": "1.500s",\n  "lbPolicy": "RING_HASH"\n}\n',
    });
  });

  it('reports the error of a job, and continues', async () => {
    const codec = codecWith({ inPlaceBytes: 0 });
    await expect(codec.decodeClientStatus(Buffer.from([0xff, 0xff]))).rejects.toThrow(
      'expected a ClientStatusResponse, got 2 bytes that are none',
    );
    expect(await codec.decodeClientStatus(Buffer.alloc(1).subarray(1))).toMatchObject({ clients: [] });
  });

  it('restarts after a crash, and fails only the running job', async () => {
    const source = `
      import { parentPort, threadId } from 'node:worker_threads';
      parentPort.on('message', ({ id, kind }) => {
        if (kind === 'render') process.exit(7);
        parentPort.postMessage({ id, ok: true, output: [threadId] });
      });`;
    await withProgram(source, async (workerProgram) => {
      const codec = codecWith({ inPlaceBytes: -1, workerProgram });
      const first = codec.decodeMany([]);
      const lost = codec.render({ typeUrl: cluster, bytes: Buffer.alloc(0) }, 'json');
      const second = codec.decodeMany([]);
      await expect(lost).rejects.toThrow(
        new CodecError('decoding failed: the worker ended with exit code 7'),
      );
      expect(await second).not.toEqual(await first);
    });
  });

  it('fails a job at the deadline', async () => {
    await withProgram(
      `import { parentPort } from 'node:worker_threads'; parentPort.on('message', () => {});`,
      async (workerProgram) => {
        const codec = codecWith({ inPlaceBytes: -1, deadlineMs: 50, workerProgram });
        await expect(codec.decodeMany([])).rejects.toThrow('it took longer than 0.05 s');
      },
    );
  });

  it('reports a missing program', async () => {
    const codec = codecWith({ inPlaceBytes: -1, workerProgram: '/nowhere/compute.mjs' });
    await expect(codec.decodeMany([])).rejects.toThrow(CodecError);
  });

  it('rejects running jobs when it is closed', async () => {
    const codec = codecWith({ inPlaceBytes: -1 });
    const answer = codec.decodeMany([]);
    await Promise.all([expect(answer).rejects.toThrow('the codec is closed'), codec.close()]);
    await expect(codec.decodeMany([])).rejects.toThrow('the codec is closed');
  });
});
