import type { QueryKey } from '@tanstack/react-query';
import type { SearchParams } from 'nuqs/server';
import { answerKey, type ClientAnswer, type ClientQuery } from '@/app/_ask/client-question';
import {
  firstPage,
  resourceCountsOptions,
  resourcePagesOptions,
  rowsPerPage,
} from '@/app/_ask/resource-pages';
import { prefetchLimit } from '@/app/_components/shell/prefetch-limit';
import { loaderOf } from '@/app/_views/client/search-params';
import { connectionsParams, connectionsQueryOf } from '@/app/_views/connections/search-params';
import { failoverParams, lbTreeQueryOf } from '@/app/_views/failover/search-params';
import { findingsParams, findingsQueryOf } from '@/app/_views/findings/search-params';
import { graphParams, graphQueryOf } from '@/app/_views/graph/search-params';
import { propagationParams, propagationQueryOf } from '@/app/_views/propagation/search-params';
import { resolvedParams, resolvedQueryOf } from '@/app/_views/resolved/search-params';
import { resourcesParams, rowsQueryOf } from '@/app/_views/resources/search-params';
import type { ClientViewName } from '@/lib/views/client/client-views';
import type { ClientQuestionName } from '@/lib/views/client-questions';

/** Answers a question on the server; undefined: there is no such client. */
export type AskServer = <Name extends ClientQuestionName>(
  name: Name,
  subject: { readonly clientId: string },
  query: ClientQuery<Name>,
) => Promise<ClientAnswer<Name> | undefined>;

/** The answers that the page of a tab is delivered with, for a client now. */
type Prefetch = (
  ask: AskServer,
  client: { readonly id: string; readonly resources: number },
  search: SearchParams,
) => Promise<[QueryKey, unknown][]>;

const loadRows = loaderOf(resourcesParams);

/** The answers that are prefetched for each tab. The browser fetches those of the other tabs. */
export const clientPrefetch: Readonly<Partial<Record<ClientViewName, Prefetch>>> = {
  graph: prefetchAnswer('graph', loaderOf(graphParams), graphQueryOf),
  // A target that is not valid is an error of the browser's own request.
  resolved: prefetchAnswer('resolved', loaderOf(resolvedParams), (view) =>
    view.target === '' ? resolvedQueryOf(view) : undefined,
  ),
  // So is a cluster or a policy that the client does not have.
  failover: prefetchAnswer('lb-tree', loaderOf(failoverParams), (view) =>
    [view.target, view.listener, view.cluster, view.policy].every((chosen) => chosen === '')
      ? lbTreeQueryOf(view)
      : undefined,
  ),
  async resources(ask, { id: clientId }, search) {
    const query = rowsQueryOf(loadRows(search));
    const page = await ask('resources', { clientId }, { ...query, limit: rowsPerPage });
    if (page === undefined) return [];
    return [
      [resourcePagesOptions({ clientId }, query).queryKey, { pages: [page], pageParams: [firstPage] }],
      [resourceCountsOptions({ clientId }, query).queryKey, { ...page, items: [] }],
    ];
  },
  connections: prefetchAnswer('connections', loaderOf(connectionsParams), connectionsQueryOf),
  propagation: prefetchAnswer('propagation', loaderOf(propagationParams), propagationQueryOf),
  findings: prefetchAnswer('findings', loaderOf(findingsParams), findingsQueryOf),
};

/** The page of a large client is delivered before the answer, which takes seconds and is then shown as pending. */
function prefetchAnswer<Name extends ClientQuestionName, View>(
  name: Name,
  load: (search: SearchParams) => View,
  /** undefined: not prefetched. */
  queryOf: (view: View) => ClientQuery<Name> | undefined,
): Prefetch {
  return async (ask, { id: clientId, resources }, search) => {
    if (resources > prefetchLimit) return [];
    const query = queryOf(load(search));
    if (query === undefined) return [];
    return [[answerKey({ clientId }, name, query), await ask(name, { clientId }, query)]];
  };
}
