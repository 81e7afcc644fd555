import type { FailoverSimulation } from '@/lib/api/failover';
import type { LbTree } from '@/lib/api/lb-tree';
import { notFound } from './api-error';
import { type ClientView, type ClientViews, momentOf } from './client-views';
import { parseLbTreeQuery, parsePlay } from './failover-query';
import type { GraphBuilder } from './graph-builder';
import type { PermalinksApi } from './permalinks-api';
import { type ResolvedQuery, resolverQuestion } from './resolved-query';

export interface FailoverApiOptions {
  readonly graphs: GraphBuilder;
  readonly views: ClientViews;
  readonly permalinks: Pick<PermalinksApi, 'failover'>;
}

/** Where traffic goes: the policies of a cluster, and what becomes of its requests. */
export class FailoverApi {
  constructor(private readonly options: FailoverApiOptions) {}

  /** undefined: no such client. */
  async lbTree(id: string, input: unknown): Promise<LbTree | undefined> {
    const { resolved, about } = parseLbTreeQuery(input);
    const view = await this.options.views.find(id, resolved.at);
    if (view === undefined) return undefined;
    const answer = await this.options.graphs.lbTree(view.source, questionOf(view, resolved), about);
    const { at, revision } = view;
    return { clientId: id, at, revision, ...answer, ...momentOf(view) };
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
  return resolverQuestion(query, { ...client, told });
}
