'use client';

import Link from 'next/link';
import { useClientViewData } from '@/app/_ask/client-view-data';
import { Pager } from '@/app/_components/pager';
import { ShapeMark } from '@/app/_components/shape-mark';
import { StatusMark } from '@/app/_components/status-mark';
import { formatCount, formatCounted } from '@/lib/format/count';
import { formatWeightShare } from '@/lib/format/share';
import { pageOf, turnPage } from '@/lib/views/fields/table-pages';
import { shapeOfUse } from '@/lib/views/graph/use-shape';
import type { ResolvedHost, ResolvedRoute } from '@/lib/views/resolved/schema';
import { useClientViewQuery } from '../client/use-client-view-query';
import { ClusterButton } from './cluster-button';
import { keyed } from './keyed';
import { resolvedParams } from './search-params';

const mostClusters = 8;
/** The page size of the server. */
const routesPerPage = 200;

/** One page of routes in matching order: the first match is used. */
export function RouteTable({ host, table }: { readonly host: ResolvedHost; readonly table: string }) {
  const { routes, routesTotal, matcherRoutes } = host;
  const { query, setQuery } = useClientViewQuery(resolvedParams);
  if (matcherRoutes !== undefined)
    return (
      <p className="py-1.5 text-muted">
        A matcher tree, which is in the resource, chooses one of {formatCounted(matcherRoutes, 'route')}.
        Explain shows which one a request takes; the graph shows the clusters of each.
      </p>
    );
  if (routesTotal === 0) return <p className="py-1.5 text-muted">No routes: all requests fail.</p>;
  return (
    <div className="mt-1 max-h-[26rem] overflow-auto rounded-md border border-line">
      <table className="w-full table-fixed border-collapse text-left text-medium">
        <caption className="sr-only">Routes of {host.host}, in order</caption>
        <thead className="sticky top-0 z-10 bg-raised note shadow-[0_1px_0_var(--border)]">
          <tr>
            <th scope="col" className="w-10 px-2 py-1.5 text-right font-medium">
              #
            </th>
            <th scope="col" className="hidden w-[17%] px-2 py-1.5 font-medium @2xl:table-cell">
              Route
            </th>
            <th scope="col" className="w-[38%] px-2 py-1.5 font-medium">
              Match
            </th>
            <th scope="col" className="px-2 py-1.5 font-medium">
              To
            </th>
          </tr>
        </thead>
        <tbody>
          {routes.map((route) => (
            <Row key={route.index} route={route} />
          ))}
        </tbody>
      </table>
      {routes.length < routesTotal && (
        <div className="flex border-t border-line px-3 py-1">
          <Pager
            label="routes"
            offset={pageOf(query.routes, table)}
            limit={routesPerPage}
            total={routesTotal}
            onChange={(from) => setQuery({ routes: turnPage(query.routes, table, from) }, 'push')}
          />
        </div>
      )}
    </div>
  );
}

function Row({ route }: { readonly route: ResolvedRoute }) {
  const isIgnored = route.use === 'ignored';
  return (
    <tr className={`border-b border-line/70 align-top last:border-b-0 ${isIgnored ? 'bg-sunken/60' : ''}`}>
      <td className="px-2 py-1 text-right text-muted tabular-nums">{route.index + 1}</td>
      <td className="hidden px-2 py-1 wrap-anywhere text-muted @2xl:table-cell">{route.name}</td>
      <td className={`px-2 py-1 font-mono text-[0.9286em] wrap-anywhere ${isIgnored ? 'text-muted' : ''}`}>
        {route.match}
        {route.reason !== '' && (
          <p className="font-sans break-words">
            {isIgnored && (
              <ShapeMark
                shape={{
                  ...shapeOfUse('ignored'),
                  ...(route.isNeverReached && { word: 'never reached' }),
                }}
              />
            )}{' '}
            <span className="text-muted">{route.reason}</span>
          </p>
        )}
        {route.use !== 'used' && route.witness !== undefined && <Witness request={route.witness} />}
      </td>
      <td className={`px-2 py-0.5 ${isIgnored ? 'text-muted' : ''}`}>
        <Targets route={route} />
      </td>
    </tr>
  );
}

/** A request that matches the route, and that another one takes. */
function Witness({ request }: { readonly request: string }) {
  const { basePath } = useClientViewData();
  const { query } = useClientViewQuery(resolvedParams);
  const search = new URLSearchParams({
    request,
    ...(query.listener !== '' && { listener: query.listener }),
    ...(query.target !== '' && { target: query.target }),
  });
  return (
    <Link
      href={`${basePath}/explain?${search}`}
      className="inline-flex min-h-6 items-center font-sans text-accent wrap-anywhere hover:underline"
    >
      Explain {request}
    </Link>
  );
}

function Targets({ route: { action, clusters } }: { readonly route: ResolvedRoute }) {
  const sum = clusters.reduce((total, { weight }) => total + weight, 0);
  const shown = clusters.slice(0, mostClusters);
  return (
    <>
      {action !== '' && <p className="py-0.5 break-words">{action}</p>}
      <ul>
        {keyed(shown, ({ name }) => name).map(({ key, item: { name, weight, use, fails } }) => (
          <li key={key} className="flex items-center gap-x-3">
            <span className="min-w-0 flex-1">
              <ClusterButton name={name} />
            </span>
            {fails !== undefined && (
              <span title={fails}>
                <StatusMark status="NACKED" word="fails" />
              </span>
            )}
            {clusters.length > 1 && (
              <span className="text-right whitespace-nowrap" title={`weight ${weight} of ${sum}`}>
                {use === 'ignored' && (
                  <span className="mr-2">
                    <ShapeMark shape={shapeOfUse('ignored')} />
                  </span>
                )}
                {formatCount(weight)}
                <span className="inline-block w-15 text-muted">{formatWeightShare(weight, sum) ?? '–'}</span>
              </span>
            )}
          </li>
        ))}
      </ul>
      {clusters.length > shown.length && (
        <p className="text-[0.9286em] text-muted">
          and {formatCount(clusters.length - shown.length)} more clusters
        </p>
      )}
    </>
  );
}
