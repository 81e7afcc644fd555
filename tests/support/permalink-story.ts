import { randomBytes } from 'node:crypto';
import { onTestFinished } from 'vitest';
import type { ResourceRow } from '@/lib/observation/resource-row';
import type { ClientDetail } from '@/lib/views/client/schema';
import type { FailoverHistory } from '@/lib/views/failover/periods-schema';
import { propagationQuery } from '@/lib/views/propagation/schema';
import { resolvedQuery } from '@/lib/views/resolved/query';
import { createClientAnswers } from '@/server/answers/client-answers';
import { GraphBuilder } from '@/server/answers/graph/graph-builder';
import { PermalinksApi } from '@/server/answers/permalinks/permalinks-api';
import {
  readStoredPropagation,
  type StoredPropagation,
} from '@/server/answers/permalinks/stored-propagation';
import type { KnownSettings } from '@/server/answers/subjects/known-settings';
import { Validator } from '@/server/compute/validate/document-validator';
import { LoadRecorder } from '@/server/live/load/load-recorder';
import { openWholeRecorder } from './open-recorder';
import { ManualClock } from './recorder-manual-clock';
import { tempDataDir } from './recorder-temp-dir';

export interface PermalinkStory {
  readonly client: ClientDetail;
  readonly rows: readonly ResourceRow[];
  readonly failovers: FailoverHistory;
  /** The reports of the four compared places. Absent if nothing is compared. */
  readonly propagation?: StoredPropagation;
  /** The known settings of the client when a permalink is created. */
  readonly reported: () => KnownSettings;
  /** The state of a client at a moment. */
  readonly moment?: ClientDetail['moment'];
  readonly maxPermalinks?: number;
  /** Delays the reading of bodies. */
  readonly gate?: (hashes: ReadonlySet<string>) => Promise<void>;
}

/** Permalinks over a real recorder, which is closed after the test. */
export async function startPermalinks(story: PermalinkStory) {
  const permalinks = await openPermalinks(story);
  onTestFinished(permalinks.close);
  return permalinks;
}

/** Permalinks that several tests may share: the caller closes them. */
export async function openPermalinks(story: PermalinkStory) {
  const { client, rows, failovers, propagation: compared, reported, moment, gate, maxPermalinks } = story;
  const propagation = { compare: async () => compared && readStoredPropagation(compared) };
  const clock = new ManualClock();
  const dataDir = tempDataDir();
  const recorder = await openWholeRecorder({
    dataDir,
    clock,
    ...(maxPermalinks !== undefined && { maxPermalinks }),
  });
  const graphs = new GraphBuilder({
    recorder: {
      file: recorder.file,
      readPendingBodies: (hashes) => recorder.readPendingBodies(hashes),
      noteDamage: (message) => recorder.noteDamage(message),
      async readBodies(hashes) {
        const asked = new Set(hashes);
        await gate?.(asked);
        return recorder.readBodies(asked);
      },
    },
  });
  const validate = new Validator({ redactionKey: randomBytes(32), recorder });
  const loads = await LoadRecorder.open({ dataDir, clock });
  const api = new PermalinksApi({
    ...{ recorder, clock, graphs, loads, propagation },
    findFailovers: async (clientId, query) => ({ ...failovers, clientId, cluster: JSON.stringify(query) }),
    subjects: {
      find: async () => ({
        ...{ client, rows, reported: reported(), revision: '1' },
        source: { list: `client ${client.id}`, read: () => ({ rows }) },
        at: moment?.at ?? Date.parse('2026-01-01T00:00:00.000Z'),
        ...(moment && { moment }),
      }),
    },
  });
  const answers = createClientAnswers({
    ...{ graphs, validate, recorder, propagation },
    measuredRequests: {
      find: async () => new Map(),
      findBreakers: () => new Map(),
      findStandstill: () => undefined,
    },
  });
  const resolve = async (id: string, query: object) => {
    const subject = await api.findSubject(id);
    return subject && answers.resolved(subject, resolvedQuery.parse(query));
  };
  const askPropagation = async (id: string, query: object) => {
    const subject = await api.findSubject(id);
    return subject && answers.propagation(subject, propagationQuery.parse(query));
  };
  const close = async () => {
    for (const each of [loads, validate, graphs, recorder]) await each.close();
  };
  return { api, resolve, askPropagation, recorder, loads, close };
}
