'use client';

import type { ReactNode } from 'react';
import { ShapeMark } from '@/app/_components/shape-mark';
import { StatusMark } from '@/app/_components/status-mark';
import { TimeAgo } from '@/app/_components/time-ago';
import { V2Mark } from '@/app/_components/v2-mark';
import { formatCount } from '@/lib/format/count';
import { formatSentence } from '@/lib/format/sentence';
import { shapeOfUse } from '@/lib/views/graph/use-shape';
import type { ResolvedCluster, UsedResource } from '@/lib/views/resolved/schema';
import { ClusterButton } from './cluster-button';
import { formatClusterKind } from './cluster-columns';
import { keyed } from './keyed';
import { RejectedList } from './rejected-list';
import { ResourceButton } from './resource-button';
import { useShowMore } from './use-show-more';

const atATime = 30;
const subsetShapes = { ok: 'HEALTHY', error: 'NACKED', unknown: 'UNKNOWN' } as const;

export function ClusterFacts({ cluster }: { readonly cluster: ResolvedCluster }) {
  const { resource, endpointsResource, lbPolicies, dnsHosts, dropOverloads, missing } = cluster;
  const leaves = useShowMore(cluster.leafClusters, atATime);
  const skipped = useShowMore(cluster.skipped, atATime);
  const subsets = useShowMore(cluster.subsets ?? [], atATime);
  const kind = formatClusterKind(cluster);
  return (
    <>
      {cluster.error !== '' && (
        <p className="break-words">
          <StatusMark status="NACKED" word="Fails:" className="mr-1.5" />
          {cluster.error}
        </p>
      )}
      {cluster.measured !== undefined && (
        <p className="break-words">
          <StatusMark
            status={cluster.measured.errors === 0 ? 'HEALTHY' : 'DEGRADED'}
            word="Measured:"
            className="mr-1.5"
          />
          {cluster.measured.text}, <TimeAgo at={cluster.measured.at} />
        </p>
      )}
      {cluster.notModelled !== undefined && (
        <p className="break-words">
          <StatusMark status="UNKNOWN" word="Not known:" className="mr-1.5" />
          {cluster.notModelled}
        </p>
      )}
      {cluster.subsets !== undefined && cluster.subsets.length > 0 && (
        <List title="Subsets of hosts, by lb_subset_config" more={subsets.more}>
          {subsets.shown.map(({ requests, status, text }) => (
            <li key={requests} className="break-words">
              <StatusMark status={subsetShapes[status]} word={`${formatSentence(requests).slice(0, -1)}:`} />{' '}
              <span className="text-muted">{text}</span>
            </li>
          ))}
        </List>
      )}
      {cluster.resolutionNote !== '' && (
        <p className="break-words">
          <StatusMark status="DEGRADED" word="Note:" className="mr-1.5" />
          {cluster.resolutionNote}
        </p>
      )}
      <RejectedList rejected={cluster.rejected} />
      {missing.length > 0 && (
        <List title="Waiting for">
          {missing.map((item) => (
            <li key={`${item.typeUrl} ${item.name}`}>
              <span className="inline-flex max-w-full items-center gap-1.5">
                <span className="text-[0.8571em] text-muted">{item.service}</span>
                <ResourceButton resource={item} />
              </span>{' '}
              <span className="break-words text-muted">
                {item.text}
                {item.since !== undefined && (
                  <>
                    , since <TimeAgo at={item.since} />
                  </>
                )}
              </span>
            </li>
          ))}
        </List>
      )}
      <dl className="grid grid-cols-[repeat(auto-fit,minmax(11rem,1fr))] gap-x-4 gap-y-2 text-medium">
        {resource !== undefined && (
          <Fact name="CDS">
            <Used resource={resource} />
          </Fact>
        )}
        {endpointsResource !== undefined && (
          <Fact name="EDS">
            <Used resource={endpointsResource} />
          </Fact>
        )}
        {kind !== '' && <Fact name="Kind">{kind}</Fact>}
        {lbPolicies.length > 0 && <Fact name="LB policy">{lbPolicies.join(' > ')}</Fact>}
        {dropOverloads.length > 0 && (
          <Fact name="Drops">
            {dropOverloads.map(({ category, percent }) => (
              <p key={category} className="break-words">
                {percent === undefined ? 'not reported' : `${percent}%`} {category}
              </p>
            ))}
          </Fact>
        )}
      </dl>
      {dnsHosts.length > 0 && (
        <List title="DNS names, resolved by the client">
          {dnsHosts.slice(0, atATime).map((host) => (
            <li key={host} className="font-mono text-[0.9286em] break-all">
              {host}
            </li>
          ))}
        </List>
      )}
      {cluster.leafClusters.length > 0 && (
        <List
          title={`Leaf clusters by priority · ${formatCount(cluster.leafClusters.length)}`}
          more={leaves.more}
        >
          {keyed(leaves.shown, (leaf) => leaf).map(({ key, item: leaf, place }) => (
            <li key={key} className="flex items-center gap-2">
              <span className="w-7 text-right text-muted tabular-nums">{place}</span>
              <ClusterButton name={leaf} />
            </li>
          ))}
        </List>
      )}
      {cluster.skipped.length > 0 && (
        <List title="Skipped" more={skipped.more}>
          {skipped.shown.map(({ name, reason }) => (
            <li key={`${name} ${reason}`}>
              <span className="inline-flex max-w-full items-center gap-2">
                <ShapeMark shape={shapeOfUse('ignored')} />
                <ClusterButton name={name} />
              </span>{' '}
              <span className="break-words text-muted">{reason}</span>
            </li>
          ))}
        </List>
      )}
      {cluster.cycles.length > 0 && (
        <List title="Cycles">
          {cluster.cycles.slice(0, atATime).map((cycle) => (
            <li key={cycle} className="font-mono text-[0.9286em] text-nacked wrap-anywhere">
              {cycle}
            </li>
          ))}
        </List>
      )}
      <List title={`Used by${cluster.usedByTotal > 1 ? ` · ${formatCount(cluster.usedByTotal)}` : ''}`}>
        {keyed(cluster.usedBy, ({ by }) => by).map(({ key, item: { how, by } }) => (
          <li key={key} className="break-words" title={how}>
            {by}
          </li>
        ))}
        {cluster.usedBy.length < cluster.usedByTotal && (
          <li className="text-muted">and {formatCount(cluster.usedByTotal - cluster.usedBy.length)} more</li>
        )}
      </List>
    </>
  );
}

interface ListProps {
  readonly title: string;
  readonly children: ReactNode;
  readonly more?: ReactNode;
}

function List({ title, children, more }: ListProps) {
  return (
    <section aria-label={title} className="min-w-0 text-medium">
      <h3 className="text-[0.8462em] text-muted">{title}</h3>
      <ul>{children}</ul>
      {more}
    </section>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-[0.8462em] text-muted">{name}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </div>
  );
}

function Used({ resource }: { readonly resource: UsedResource }) {
  return (
    <>
      <span className="flex min-w-0 items-center gap-1.5">
        <ResourceButton resource={resource} />
        {resource.apiVersion === 'v2' && <V2Mark />}
      </span>
      {resource.versionInfo !== '' && (
        <p className="text-muted">
          version <span className="font-mono text-[0.9286em] wrap-anywhere">{resource.versionInfo}</span>
        </p>
      )}
      {resource.note !== '' && <p className="break-words text-timeout">{resource.note}</p>}
    </>
  );
}
