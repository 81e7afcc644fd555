import { randomBytes } from 'node:crypto';
import { onTestFinished } from 'vitest';
import type { FailoverHistory } from '@/lib/api/failovers';
import type { ClientDetail, ResourceRow } from '@/lib/api/schema';
import { truthQuery } from '@/lib/api/truth';
import { resolvedQuery } from '@/lib/questions/resolved-query';
import { createClientAnswers } from '@/server/answers/client-answers';
import { GraphBuilder } from '@/server/api/graph-builder';
import type { KnownSettings } from '@/server/api/known-settings';
import { PermalinksApi } from '@/server/api/permalinks-api';
import { readStoredTruth, type StoredTruth } from '@/server/api/stored-truth';
import { openRecorder } from '@/server/recorder/open-recorder';
import { Judge } from '@/server/validate/judge';
import { openLoads } from './open-loads';
import { ManualClock } from './recorder-manual-clock';
import { tempDataDir } from './recorder-temp-dir';

export interface PermalinkStory {
  readonly client: ClientDetail;
  readonly rows: readonly ResourceRow[];
  readonly failovers: FailoverHistory;
  /** What the four places report of the resources; absent: nothing is compared. */
  readonly truth?: StoredTruth;
  /** What is known of the client's settings when a link is made. */
  readonly told: () => KnownSettings;
  /** Of a client in the past. */
  readonly moment?: ClientDetail['moment'];
  /** What reading bodies waits for; absent: nothing. */
  readonly gate?: (hashes: ReadonlySet<string>) => Promise<void>;
}

/** Permalinks over a real recorder, for the length of a test. */
export async function startPermalinks(story: PermalinkStory) {
  const { client, rows, failovers, truth: compared, told, moment, gate } = story;
  const truth = { compare: async () => compared && readStoredTruth(compared) };
  const clock = new ManualClock();
  const retention = { maxAgeMs: 1e12, maxBytes: 1e12 };
  const recorder = await openRecorder({ dataDir: tempDataDir(), clock, retention });
  onTestFinished(() => recorder.close());
  const graphs = new GraphBuilder({
    clock,
    recorder: {
      readHistoryBase: (...asked) => recorder.readHistoryBase(...asked),
      readObservationTexts: (query) => recorder.readObservationTexts(query),
      async readBodies(hashes) {
        const asked = new Set(hashes);
        await gate?.(asked);
        return recorder.readBodies(asked);
      },
    },
  });
  onTestFinished(() => graphs.close());
  const judge = new Judge({ redactionKey: randomBytes(32), readBodies: async () => new Map() });
  onTestFinished(() => judge.close());
  const loads = await openLoads(clock);
  const api = new PermalinksApi({
    ...{ recorder, clock, graphs, loads, truth },
    findFailovers: async (clientId, query) => ({ ...failovers, clientId, cluster: JSON.stringify(query) }),
    subjects: {
      find: async () => ({
        ...{ client, rows, told: told(), revision: '1' },
        source: { list: `client ${client.id}`, rows: () => rows },
        at: moment?.at ?? '2026-01-01T00:00:00.000Z',
        ...(moment && { moment }),
      }),
    },
  });
  const answers = createClientAnswers({ graphs, judge, recorder, truth });
  const resolve = async (id: string, query: object) => {
    const subject = await api.findSubject(id);
    return subject && answers.resolved(subject, resolvedQuery.parse(query));
  };
  const askTruth = async (id: string, query: object) => {
    const subject = await api.findSubject(id);
    return subject && answers.truth(subject, truthQuery.parse(query));
  };
  return { api, resolve, askTruth, recorder, loads };
}
