'use client';

import type { ReactNode } from 'react';
import { NameText } from '@/app/_components/name-text';
import { ShapeMark } from '@/app/_components/shape-mark';
import { V2Mark } from '@/app/_components/v2-mark';
import { formatCounted } from '@/lib/format/count';
import { shapeOfUse } from '@/lib/views/graph/use-shape';
import type { ResolvedChain as Chain, Resolved, UsedResource } from '@/lib/views/resolved/schema';
import { ClusterButton } from './cluster-button';
import { keyed } from './keyed';
import { ResolvedHosts } from './resolved-hosts';
import { ResourceButton } from './resource-button';
import { useShowMore } from './use-show-more';

interface ResolvedChainProps {
  readonly chain: Chain;
  /** Index of the chain, used in the keys of its pages. */
  readonly table: string;
  /** Set for the first chain only. */
  readonly listener?: UsedResource | undefined;
  readonly start: NonNullable<Resolved['start']>;
  readonly isAlone: boolean;
}

const sources = { rds: 'RDS', inline: 'inline', scoped: 'scoped (SRDS)' } as const;
const partsAtATime = 12;

/** One filter chain: its parts on the left, its routes on the right. */
export function ResolvedChain({ chain, table, listener, start, isAlone }: ResolvedChainProps) {
  const configs = useShowMore(chain.routeConfigs, partsAtATime);
  const filters = useShowMore(chain.httpFilters, partsAtATime);
  const tcp = useShowMore(chain.tcpClusters, partsAtATime);
  return (
    <div className="grid gap-x-6 gap-y-3 @4xl:grid-cols-[minmax(15rem,19rem)_minmax(0,1fr)]">
      <div className="flex min-w-0 flex-col gap-2.5">
        {listener !== undefined && (
          <Part name={start.kind === 'server' ? `Listener at ${start.address}` : 'Listener'}>
            <Used resource={listener} />
            {start.target !== undefined && (
              <p className="break-words text-muted">
                target <span className="font-mono text-[0.9286em]">{start.target}</span>
              </p>
            )}
          </Part>
        )}
        {!isAlone && (
          <Part name="Filter chain">
            <p className="break-words">{chain.name === '' ? '(no name)' : chain.name}</p>
            {chain.match !== '' && <p className="break-words text-muted">{chain.match}</p>}
          </Part>
        )}
        {chain.conditions.length > 0 && (
          <Part name="A connection is served if">
            {chain.conditions.map(({ kind, text }) => (
              <p key={kind} className="break-words text-muted">
                {text}
              </p>
            ))}
          </Part>
        )}
        {keyed(configs.shown, ({ name }) => name).map(({ key, item: config }) => (
          <Part key={key} name={`Route configuration, ${sources[config.source]}`}>
            {config.resource !== undefined ? (
              <Used resource={config.resource} />
            ) : (
              <NameText name={config.name} />
            )}
            {config.scope !== '' && <p className="break-words text-muted">scope {config.scope}</p>}
            <p className="text-muted">{formatCounted(config.virtualHosts, 'virtual host')}</p>
            {config.error !== '' && <p className="break-words text-nacked">{config.error}</p>}
            {config.notes.map((note) => (
              <p key={note} className="break-words text-timeout">
                {note}
              </p>
            ))}
          </Part>
        ))}
        {configs.more}
        {chain.httpFilters.length > 0 && (
          <Part name="HTTP filters">
            <ol>
              {keyed(filters.shown, ({ name }) => name).map(
                ({ key, place, item: { name, typeName, use, reason, denied, answers } }) => (
                  <li key={key} className="grid grid-cols-[1.5rem_minmax(0,1fr)]">
                    <span className="text-muted tabular-nums">{place}</span>
                    <span className="min-w-0" title={typeName}>
                      <span className={use === 'ignored' ? 'text-muted' : ''}>
                        <NameText name={name} />
                      </span>
                      {use === 'ignored' && (
                        <span className="block text-[0.9286em]">
                          <ShapeMark shape={shapeOfUse('ignored')} />{' '}
                          <span className="break-words text-muted">{reason}</span>
                        </span>
                      )}
                      {denied !== '' && <DeniedText denied={denied} />}
                      {answers !== undefined && (
                        <span className="block text-[0.9286em] break-words text-muted">{answers}</span>
                      )}
                    </span>
                  </li>
                ),
              )}
            </ol>
            {filters.more}
          </Part>
        )}
        {chain.networkFilters.length > 0 && (
          <Part name="Network filters">
            <ul>
              {keyed(chain.networkFilters, ({ name }) => name).map(({ key, item: { name, denied } }) => (
                <li key={key}>
                  <NameText name={name} />
                  {denied !== '' && <DeniedText denied={denied} />}
                </li>
              ))}
            </ul>
          </Part>
        )}
        {chain.tcpClusters.length > 0 && (
          <Part name="TCP, to clusters">
            <ul>
              {tcp.shown.map(({ name, weight }) => (
                <li key={name} className="flex items-center gap-2">
                  <ClusterButton name={name} />
                  {chain.tcpClusters.length > 1 && <span className="ml-auto text-right">{weight}</span>}
                </li>
              ))}
            </ul>
            {tcp.more}
          </Part>
        )}
      </div>
      <ResolvedHosts chain={chain} table={table} />
    </div>
  );
}

function Part({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="min-w-0 border-l-2 border-line pl-2.5 text-medium">
      <h3 className="text-[0.8462em] break-words text-muted">{name}</h3>
      {children}
    </div>
  );
}

function Used({ resource }: { readonly resource: UsedResource }) {
  return (
    <>
      <p className="flex min-w-0 flex-wrap items-center gap-x-2">
        <ResourceButton resource={resource} />
        {resource.apiVersion === 'v2' && <V2Mark />}
        <span className="text-muted">
          {resource.versionInfo === '' ? (
            'no version reported'
          ) : (
            <>
              version <span className="font-mono text-[0.9286em] wrap-anywhere">{resource.versionInfo}</span>
            </>
          )}
        </span>
      </p>
      {resource.note !== '' && <p className="break-words text-timeout">{resource.note}</p>}
    </>
  );
}

/** Requests that match the routes of the chain and are denied all the same. */
function DeniedText({ denied }: { readonly denied: string }) {
  return <span className="block text-[0.9286em] break-words wrap-anywhere text-timeout">{denied}</span>;
}
