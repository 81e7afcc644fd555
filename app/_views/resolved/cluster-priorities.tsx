'use client';

import { NotReported } from '@/app/_components/bytes-text';
import { ShapeMark } from '@/app/_components/shape-mark';
import { StatusMark } from '@/app/_components/status-mark';
import { formatCount, formatCounted } from '@/lib/format/count';
import { shapeOfUse } from '@/lib/views/graph/use-shape';
import type { ResolvedCluster, ResolvedLocality } from '@/lib/views/resolved/schema';
import { keyed } from './keyed';
import { useShowMore } from './use-show-more';

const localitiesAtATime = 40;

/** The priorities in their order, with localities and endpoints. */
export function ClusterPriorities({ cluster }: { readonly cluster: ResolvedCluster }) {
  const { use, priorities } = cluster;
  return (
    <section aria-label="Endpoints" className="flex min-w-0 flex-col gap-3">
      <p className="text-medium">
        {describeUse(cluster)}
        <span className="text-muted">
          , {formatCounted(use.localities, 'locality', 'localities')},{' '}
          {formatCounted(use.priorities, 'priority', 'priorities')}
        </span>
      </p>
      {priorities.map(({ priority, localities }) => (
        <Priority key={priority} priority={priority} localities={localities} />
      ))}
    </section>
  );
}

/** What is measured outranks the health of the endpoints. */
function describeUse({ use: { usable, endpoints, failing = 0, failingLoad } }: ResolvedCluster): string {
  const all = formatCounted(endpoints, 'endpoint');
  if (failingLoad === 'all') return `${all}: every request fails, as measured`;
  const fail =
    failing === 0 ? '' : `, ${formatCount(failing)} of them ${failing === 1 ? 'fails' : 'fail'}, as measured`;
  return `${formatCount(usable)} of ${all} usable${fail}`;
}

function Priority({ priority, localities }: ResolvedCluster['priorities'][number]) {
  const { shown, more } = useShowMore(localities, localitiesAtATime);
  return (
    <section aria-label={`Priority ${priority}`} className="min-w-0">
      <h3 className="mb-1 font-semibold">P{priority}</h3>
      <div className="flex flex-col gap-2">
        {keyed(shown, ({ locality }) => locality).map(({ key, item }) => (
          <Locality key={key} locality={item} />
        ))}
        {more}
      </div>
    </section>
  );
}

function Locality({ locality }: { readonly locality: ResolvedLocality }) {
  const { weight, use, reason, endpoints, endpointsTotal } = locality;
  const isIgnored = use === 'ignored';
  const rest = endpointsTotal - endpoints.length;
  return (
    <div className={`rounded-md border ${isIgnored ? 'border-dashed border-line-strong' : 'border-line'}`}>
      <table className="w-full table-fixed border-collapse text-left text-medium">
        <caption className="px-2.5 py-1 text-left">
          <span className="flex flex-wrap items-baseline gap-x-3">
            <span className={`min-w-0 break-words ${isIgnored ? 'text-muted' : ''}`}>
              {locality.locality}
            </span>
            <span className="text-[0.9286em] text-muted">
              {weight === undefined ? 'no weight' : `weight ${formatCount(weight)}`}
            </span>
            <span className="ml-auto text-[0.9286em] text-muted">
              {formatCounted(endpointsTotal, 'endpoint')}
            </span>
          </span>
          {reason !== '' && (
            <span className="block text-[0.9286em]">
              {isIgnored ? (
                <ShapeMark shape={shapeOfUse('ignored')} />
              ) : (
                <StatusMark status="UNHEALTHY" word="fails" />
              )}{' '}
              <span className="break-words text-muted">{reason}</span>
            </span>
          )}
        </caption>
        <colgroup>
          <col />
          <col className="w-28" />
          <col className="w-16" />
        </colgroup>
        {endpoints.length > 0 && (
          <thead className="sr-only">
            <tr>
              <th scope="col">Address</th>
              <th scope="col">Health</th>
              <th scope="col">Weight</th>
            </tr>
          </thead>
        )}
        <tbody>
          {keyed(endpoints, ({ address }) => address).map(({ key, item: endpoint }) => (
            <tr
              key={key}
              className={`border-t border-line/70 align-top ${endpoint.use === 'ignored' ? 'text-muted' : ''}`}
            >
              <td className="px-2.5 py-0.5">
                <span className="font-mono text-[0.9286em] break-all">{endpoint.address}</span>
                {endpoint.additionalAddresses.length > 0 && (
                  <span className="block font-mono text-[0.8571em] break-all text-muted">
                    also {endpoint.additionalAddresses.join(', ')}
                  </span>
                )}
                {endpoint.hostname !== '' && (
                  <span className="block text-[0.9286em] break-all text-muted">{endpoint.hostname}</span>
                )}
                {endpoint.reason !== '' && !isIgnored && (
                  <span className="block text-[0.9286em]">
                    {endpoint.use === 'ignored' ? (
                      <ShapeMark shape={shapeOfUse('ignored')} />
                    ) : (
                      <StatusMark status="UNHEALTHY" word="fails" />
                    )}{' '}
                    <span className="break-words">{endpoint.reason}</span>
                  </span>
                )}
              </td>
              <td className="px-2 py-0.5">
                <Health health={endpoint.health} />
              </td>
              <td className="px-2.5 py-0.5 text-right" title="load_balancing_weight">
                {endpoint.weight === undefined ? (
                  <NotReported why="no weight reported" />
                ) : (
                  formatCount(endpoint.weight)
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {rest > 0 && (
        <p className="border-t border-line/70 px-2.5 py-1 note">
          and {formatCounted(rest, 'endpoint')} more (see EDS)
        </p>
      )}
    </div>
  );
}

/** envoy.config.core.v3.HealthStatus. */
const healths = ['HEALTHY', 'UNHEALTHY', 'DRAINING', 'DEGRADED', 'TIMEOUT', 'UNKNOWN'] as const;

function Health({ health }: { readonly health: string }) {
  const known = healths.find((each) => each === health);
  return known === undefined ? <span className="text-muted">{health}</span> : <StatusMark status={known} />;
}
