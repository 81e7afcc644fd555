import type { HistoryQuestions } from '@/lib/views/questions';
import { ApiError, badRequest, notFound } from '../api-error';
import type { Answers } from './ask';
import { DiffApi, type DiffApiOptions } from './diff/diff-api';
import { type ExportedFile, ExportsApi, type ExportsApiOptions } from './files/exports-api';
import { ChurnApi, type ChurnApiParts } from './history/churn-api';
import { ConvergenceApi, type ConvergenceApiParts } from './history/convergence-api';
import { HistoryApi, type HistoryApiOptions } from './history/history-api';
import { findHistoryDetail } from './history/history-detail';
import { NacksApi, type NacksApiParts } from './nacks/nacks-api';

type HistoryAnswersParts = ChurnApiParts &
  ConvergenceApiParts &
  DiffApiOptions &
  ExportsApiOptions &
  HistoryApiOptions &
  NacksApiParts;

export function createHistoryAnswers(parts: HistoryAnswersParts): Pick<Answers, keyof HistoryQuestions> {
  const log = new HistoryApi(parts);
  const nacks = new NacksApi(parts);
  const convergence = new ConvergenceApi(parts);
  const churn = new ChurnApi(parts);
  const diffs = new DiffApi(parts);
  const exports = new ExportsApi(parts);
  return {
    history: (query, { signal }) => log.page(query, signal),
    'history/timeline': (query, { signal }) => log.timeline(query, signal),
    async 'history/{seq}'(query, { params: { seq }, signal }) {
      if (!/^\d{1,15}$/.test(seq)) {
        throw badRequest(`seq: expected a place in the log, got ${JSON.stringify(seq)}`, 'seq');
      }
      const found = await findHistoryDetail({ ...parts, signal }, Number(seq), query);
      if (found === undefined) throw notFound('Event', `no event has the id ${JSON.stringify(seq)}`);
      return found;
    },
    nacks: (query, { signal }) => nacks.list(query, signal),
    async 'nacks/{groupId}'(_, { params: { groupId }, signal }) {
      const found = await nacks.find(groupId, signal);
      if (found === undefined) {
        throw notFound('NACK', `no group of NACKs has the id ${JSON.stringify(groupId)}`);
      }
      return found;
    },
    async convergence(query, { signal }) {
      const found = await convergence.find(query, signal);
      if (found !== undefined) return found;
      throw new ApiError(404, 'Not recorded', 'the recording has no such version or resource');
    },
    'convergence/recent': (query, { signal }) => convergence.recent(query, signal),
    churn: (query, { signal }) => churn.find(query, signal),
    diff: (query, { signal }) => diffs.find(query, signal),
    export: async (query, { signal }) => answerFile(await exports.make(query, signal)),
    'export/estimate': (query, { signal }) => exports.estimate(query, signal),
  };
}

/** The file is written while it is sent; cancelling the body ends the work. */
function answerFile({ fileName, content }: ExportedFile): Response {
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await content.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await content.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, {
    headers: {
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename="${fileName}"`,
      // The file format compresses its content.
      'cache-control': 'no-store, no-transform',
    },
  });
}
