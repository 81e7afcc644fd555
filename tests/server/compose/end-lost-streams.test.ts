import { afterEach, describe, expect, it } from 'vitest';
import type { Observation } from '@/lib/observation/observation';
import { endLostStreams, lostStreamDetails, streamEndsEntry } from '@/server/compose/end-lost-streams';
import type { Recorder } from '@/server/store/recorder/recorder';
import { emissionOf, nodeOf } from '@/tests/support/builders/recorder-emissions';
import { openWholeRecorder } from '@/tests/support/open-recorder';
import { tempDataDir } from '@/tests/support/recorder-temp-dir';
import { openKept } from '@/tests/support/test-state';

let recorder: Recorder;
afterEach(() => recorder.close());

const sources = {
  probe: 'ads:127.0.0.1:1',
  tap: 'tap:a',
  lrs: 'lrs:127.0.0.1:2',
  dump: 'file:a.xdscope#tap:a',
} as const;

function opened(at: number, streamId: string, vantage: keyof typeof sources = 'tap'): Observation {
  const base = { at, vantage, sourceId: sources[vantage], clientId: 'client-a', streamId } as const;
  const stream = { server: 's', method: 'StreamAggregatedResources', node: nodeOf('client-a'), scope: '' };
  return { kind: 'stream-opened', ...base, ...stream };
}

function closed(at: number, streamId: string): Observation {
  const base = { at, vantage: 'tap', sourceId: sources.tap, clientId: 'client-a', streamId } as const;
  return { kind: 'stream-closed', ...base, code: 'OK', details: '', hadResponse: true };
}

/** Returns what a start reports, and writes it to the log. */
async function start(dataDir: string): Promise<Observation[]> {
  const reported: Observation[] = [];
  const newestSeq = recorder.stats().newestSeq;
  await endLostStreams({
    ...{ kept: await openKept(streamEndsEntry, dataDir), recorder, newestSeq },
    observe: (emission) => {
      reported.push(emission.observation);
      recorder.append(emission);
    },
  });
  return reported;
}

async function log(observations: readonly Observation[]): Promise<void> {
  for (const observation of observations) recorder.append({ observation, bodies: [] });
  await recorder.flushed();
}

describe('endLostStreams()', () => {
  it('ends the streams that were open when an earlier run was killed, once, at the newest time of that run', async () => {
    const dataDir = tempDataDir();
    recorder = await openWholeRecorder({ dataDir });
    expect(await start(dataDir)).toEqual([]);
    await log([opened(10, 'whole'), opened(11, 'lost'), opened(12, 'of the probe', 'probe')]);
    await log([opened(13, 'of load reports', 'lrs')]);
    await log([closed(20, 'whole'), emissionOf(30, null).observation, opened(90, 'of a file', 'dump')]);

    const end = { kind: 'stream-closed', at: 30, clientId: 'client-a', details: lostStreamDetails };
    expect(await start(dataDir)).toMatchObject([
      { ...end, streamId: 'lost', vantage: 'tap', sourceId: sources.tap },
      { ...end, streamId: 'of the probe', vantage: 'probe', sourceId: sources.probe },
      { ...end, streamId: 'of load reports', vantage: 'lrs', sourceId: sources.lrs },
    ]);
    expect(await start(dataDir)).toEqual([]);
    await log([opened(40, 'of the next run')]);
    expect(await start(dataDir)).toMatchObject([{ at: 40, streamId: 'of the next run' }]);
  });
});
