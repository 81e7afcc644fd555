import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createCodec } from '@/server/codec/codec';
import { CodecError } from '@/server/codec/codec-error';
import { AnswerReader, type AnswerReaderOptions, type SourceAnswers } from '@/server/csds/answer-reader';
import type { AnswerNews } from '@/server/csds/read-answer';
import { builtProgram } from '@/server/project-root';
import { Compute } from '@/server/workers/compute';
import { clientWithClusters, csdsAnswer } from '@/tests/support/csds-server';
import { runs } from '@/tests/support/runs';

const redactionKey = Buffer.from('tests');
const codec = createCodec({ redactionKey });

function readerWith(options: Partial<AnswerReaderOptions>): AnswerReader {
  const reader = new AnswerReader({ codec, redactionKey, ...options });
  onTestFinished(() => reader.close());
  return reader;
}

const inWorker = (options: Partial<AnswerReaderOptions> = {}): SourceAnswers =>
  readerWith({ inPlaceBytes: -1, ...options }).open();

async function read(source: SourceAnswers, answer: Buffer, at = 1, excludesContents = false) {
  const { news, accept } = await source.read(answer, {
    excludesContents,
    compare: { sourceId: 's', vantage: 'csds', at, side: 'auto' },
  });
  accept();
  return news;
}

/** Names of clients and rows in `known` in their order; rows sorted, since their order says nothing. */
function contentsOf({ known }: SourceAnswers) {
  return [...known].map(([id, { rows, ...client }]) => [id, client, [...rows].sort()]);
}

const answers = fc.array(
  fc.record({
    clients: fc.uniqueArray(
      fc.record({
        id: fc.constantFrom('a', 'b', 'c'),
        scope: fc.constantFrom('', 'one'),
        clusters: fc.dictionary(fc.constantFrom('w', 'x', 'y', 'z'), fc.constantFrom('1', '2')),
      }),
      { maxLength: 4, selector: ({ id, scope, clusters }) => JSON.stringify([id, scope, clusters]) },
    ),
    excludesContents: fc.boolean(),
  }),
  { minLength: 1, maxLength: 8 },
);

interface DrawnAnswer {
  readonly clients: readonly { id: string; scope: string; clusters: Record<string, string> }[];
  readonly excludesContents: boolean;
}

function encode(answer: DrawnAnswer): Buffer {
  return csdsAnswer({
    config: answer.clients.map(({ id, scope, clusters }) =>
      clientWithClusters(id, clusters, { scope, withContents: !answer.excludesContents }),
    ),
  });
}

describe('AnswerReader', () => {
  it('reports the same in place, in the worker, and alternately in both', async () => {
    const readers = [Number.POSITIVE_INFINITY, -1, 120].map((inPlaceBytes) => readerWith({ inPlaceBytes }));
    await fc.assert(
      fc.asyncProperty(answers, async (row) => {
        const sources = readers.map((reader) => reader.open());
        for (const [at, answer] of row.entries()) {
          const reported: AnswerNews[] = [];
          for (const source of sources) {
            reported.push(await read(source, encode(answer), at, answer.excludesContents));
          }
          expect(reported[1]).toEqual(reported[0]);
          expect(reported[2]).toEqual(reported[0]);
          const [first, ...others] = sources.map(contentsOf);
          for (const other of others) expect(other).toEqual(first);
        }
        for (const source of sources) source.close();
      }),
      { numRuns: runs(25) },
    );
  });

  it('returns only the changed row and its body', async () => {
    const source = inWorker();
    await read(source, csdsAnswer({ config: [clientWithClusters('a', { c: '1', d: '1' })] }));
    const news = await read(source, csdsAnswer({ config: [clientWithClusters('a', { c: '1', d: '2' })] }), 2);
    expect(news).toMatchObject({
      emissions: [{ observation: { changed: [{ name: 'd', changedAt: 2 }], removed: [] }, bodies: [{}] }],
    });
  });

  it('compares with the newest accepted answer, not with one that was dropped', async () => {
    const source = inWorker();
    const request = {
      excludesContents: false,
      compare: { sourceId: 's', vantage: 'csds', at: 1, side: 'auto' },
    } as const;
    const first = csdsAnswer({ config: [clientWithClusters('a', { c: '1' })] });
    await read(source, first);
    const second = csdsAnswer({ config: [clientWithClusters('a', { c: '2' })] });
    await source.read(second, request);
    expect(await read(source, first)).toMatchObject({ kind: 'complete', emissions: [] });
    expect(await read(source, second)).toMatchObject({
      emissions: [{ observation: { changed: [{ name: 'c', versionInfo: '2' }] } }],
    });
  });

  it('reports differences after a crash of the worker, and loses only the answer that it had', async () => {
    const dir = await mkdtemp(path.join(tmpdir(), 'xdscope-csds-'));
    onTestFinished(() => rm(dir, { recursive: true }));
    const workerProgram = path.join(dir, 'worker.mjs');
    const deadly = csdsAnswer({ config: [clientWithClusters('deadly', {})] });
    writeFileSync(
      path.join(dir, 'crash.mjs'),
      `import { parentPort } from 'node:worker_threads';
       parentPort.on('message', ({ input }) => { if (input.answer?.length === ${deadly.length}) process.exit(7); });`,
    );
    writeFileSync(workerProgram, `import './crash.mjs'; import ${JSON.stringify(builtProgram('compute'))};`);
    const source = inWorker({ compute: new Compute({ program: workerProgram }) });
    await read(source, csdsAnswer({ config: [clientWithClusters('a', { c: '1', d: '1' })] }));
    await expect(read(source, deadly)).rejects.toThrow(
      new CodecError('decoding failed: the worker ended with exit code 7'),
    );
    const news = await read(source, csdsAnswer({ config: [clientWithClusters('a', { c: '1', d: '2' })] }), 2);
    expect(news).toMatchObject({ emissions: [{ observation: { changed: [{ name: 'd' }], removed: [] } }] });
  });
});
