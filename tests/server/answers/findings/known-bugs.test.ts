import { afterEach, describe, expect, it } from 'vitest';
import type { Recorded } from '@/lib/observation/observation';
import type { ClientDetail } from '@/lib/views/client/schema';
import type { Moment } from '@/lib/views/fields/moment';
import { findKnownBugsOf } from '@/server/answers/findings/known-bugs';
import type { Recorder } from '@/server/store/recorder/recorder';
import { openWholeRecorder } from '@/tests/support/open-recorder';
import { clientAfter, noConfigUse, readKnownBug } from '../../../support/builders/known-bug-recordings';
import { emissions } from '../../../support/log-story';

const links = { findRoutes: async () => [], findReached: async () => [], ...noConfigUse };

let recorder: Recorder | undefined;
afterEach(async () => {
  await recorder?.close();
  recorder = undefined;
});

async function openWith(observations: readonly Recorded[]): Promise<Recorder> {
  recorder = await openWholeRecorder();
  for (const emission of emissions(observations)) recorder.append(emission);
  return recorder;
}

const history = readKnownBug('grpc-go-1.85.0-fallback');
const { clientId: id, node } = clientAfter(history);
const client = { id, node } as ClientDetail;

describe('findNoticesOf', () => {
  it('reads the symptom from the log, with the resources concerned', async () => {
    const log = await openWith(history);
    expect(await findKnownBugsOf({ client, rows: [] }, log, links)).toEqual([
      expect.objectContaining({
        id: 'frozen-after-fallback',
        source: expect.stringContaining('gRPC-Go'),
        since: history.at(-1)?.at,
        total: 3,
        resources: [
          expect.objectContaining({ service: 'RDS', name: 'routes-b' }),
          expect.objectContaining({ service: 'CDS', name: 'cluster-b' }),
          expect.objectContaining({ service: 'EDS', name: 'cluster-b' }),
        ],
      }),
    ]);
  });

  it('states what was known at a moment of the past', async () => {
    const log = await openWith(history);
    const moment = { seq: history.length - 1 } as Moment;
    expect(await findKnownBugsOf({ client, rows: [], moment }, log, links)).toEqual([]);
  });

  it('reads no observations for a permalink', async () => {
    const log = await openWith(history);
    expect(await findKnownBugsOf({ client, rows: [], isStored: true }, log, links)).toEqual([]);
  });
});
