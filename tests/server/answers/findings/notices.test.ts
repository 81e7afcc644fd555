import { afterEach, describe, expect, it } from 'vitest';
import type { Recorded } from '@/lib/observation/observation';
import type { ClientDetail } from '@/lib/views/client/schema';
import type { Moment } from '@/lib/views/fields/moment';
import { findNoticesOf } from '@/server/answers/findings/notices';
import type { Recorder } from '@/server/recorder/recorder';
import { openWholeRecorder } from '@/tests/support/open-recorder';
import { clientAfter, readKnownBug } from '../../../support/builders/known-bug-recordings';
import { emissions } from '../../../support/log-story';

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

const noRoutes = async () => [];
const history = readKnownBug('grpc-go-1.85.0-fallback');
const { clientId: id, node } = clientAfter(history);
const client = { id, node } as ClientDetail;

describe('findNoticesOf', () => {
  it('reads the symptom from the log, with the resources concerned', async () => {
    const log = await openWith(history);
    expect(await findNoticesOf({ client, rows: [] }, log, noRoutes)).toEqual([
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
    expect(await findNoticesOf({ client, rows: [], moment }, log, noRoutes)).toEqual([]);
  });

  it('reads no observations for a permalink', async () => {
    const log = await openWith(history);
    expect(await findNoticesOf({ client, rows: [], isStored: true }, log, noRoutes)).toEqual([]);
  });
});
