import type { FailoverSimulation } from '@/lib/api/failover';
import type { LbTree } from '@/lib/api/lb-tree';
import { clientKindOf } from '@/lib/lb/client-kind';
import type { Recorder } from '../recorder/recorder';
import { notFound } from './api-error';
import { type ClientView, type ClientViews, momentOf } from './client-views';
import type { NumberedChildren } from './failover-maker';
import { parseLbTreeQuery, parsePlay } from './failover-query';
import type { GraphBuilder } from './graph-builder';
import type { PermalinksApi } from './permalinks-api';
import { type ResolvedQuery, trafficQuestion } from './resolved-query';
import type { ResolverQuestion } from './resolved-questions';
import { settleLog } from './settle-log';

export interface FailoverApiOptions {
  readonly graphs: GraphBuilder;
  readonly views: ClientViews;
  readonly permalinks: Pick<PermalinksApi, 'failover'>;
  readonly recorder: Pick<Recorder, 'flushed' | 'stats'>;
}

/** Where traffic goes: the policies of a cluster, and what becomes of its requests. */
export class FailoverApi {
  constructor(private readonly options: FailoverApiOptions) {}

  /** undefined: no such client. */
  async lbTree(id: string, input: unknown): Promise<LbTree | undefined> {
    const { resolved, about } = parseLbTreeQuery(input);
    const view = await this.options.views.find(id, resolved.at);
    if (view === undefined) return undefined;
    const question = questionOf(view, resolved);
    const numbered = await this.findNumbered(id, view, question, about.kind);
    const answer = await this.options.graphs.lbTree(view.source, question, { ...about, numbered });
    const { at, revision } = view;
    return { clientId: id, at, revision, ...answer, ...momentOf(view) };
  }

  private async findNumbered(
    clientId: string,
    { at, moment, revision }: ClientView,
    question: ResolverQuestion,
    kind = clientKindOf(question.profile),
  ): Promise<NumberedChildren> {
    const { graphs, recorder } = this.options;
    await settleLog(recorder);
    const until = Date.parse(at);
    const list = `client ${clientId} ${moment === undefined ? `revision ${revision}` : `to ${until}`}`;
    const told = await graphs.childNumbers({ list, clientId, until }, { ...question, kind });
    return { numbers: told.numbers, since: told.beginsAt };
  }

  async simulate(input: unknown): Promise<FailoverSimulation> {
    const { graphs, permalinks, views } = this.options;
    const parsed = parsePlay(input);
    const { whose, resolved, about } = parsed;
    if ('permalink' in whose) {
      const frozen = await permalinks.failover(whose.permalink, parsed);
      if (frozen === undefined)
        throw notFound('Permalink', `no permalink has the id ${JSON.stringify(whose.permalink)}`);
      return frozen;
    }
    const view = await views.find(whose.client, resolved.at);
    if (view === undefined) throw notFound('Client', `no client has the id ${JSON.stringify(whose.client)}`);
    const answer = await graphs.failover(view.source, questionOf(view, resolved), about);
    const { at, revision } = view;
    return { clientId: whose.client, at, revision, ...answer, ...momentOf(view) };
  }
}

function questionOf({ client, told }: ClientView, query: ResolvedQuery) {
  return trafficQuestion(query, { ...client, told });
}
