'use client';

import { useState } from 'react';
import { Icon } from '@/app/_components/icon';
import { NameText } from '@/app/_components/name-text';
import { Pager } from '@/app/_components/pager';
import { formatCount, formatCounted } from '@/lib/format/count';
import { pageOf, turnPage } from '@/lib/views/fields/table-pages';
import type { ResolvedChain, ResolvedHost } from '@/lib/views/resolved/schema';
import { useClientViewQuery } from '../client/use-client-view-query';
import { ResourceButton } from './resource-button';
import { RouteTable } from './route-table';
import { resolvedParams } from './search-params';
import { useShowMore } from './use-show-more';

const hostsAtATime = 20;
const mostDomains = 6;
/** The page size of the server. */
const hostsPerPage = 100;

/** The virtual host that matches the authority, or all of them if each request chooses. */
export function ResolvedHosts({ chain, table }: { readonly chain: ResolvedChain; readonly table: string }) {
  const { virtualHosts, virtualHostsTotal, routeConfigs } = chain;
  const { query, setQuery } = useClientViewQuery(resolvedParams);
  const { shown, more } = useShowMore(virtualHosts, hostsAtATime);
  const from = pageOf(query.hosts, table);
  const [chosen, setChosen] = useState<string | null>(null);
  if (virtualHostsTotal === 0) {
    // The routes of a resource that is missing are not known.
    const isKnown = routeConfigs.every(
      ({ source, resource }) => source === 'inline' || resource !== undefined,
    );
    return isKnown && routeConfigs.length > 0 ? (
      <p className="text-muted">No virtual host matches: all requests fail.</p>
    ) : null;
  }
  const [first] = virtualHosts;
  const opened = chosen ?? (first === undefined ? '' : keyOf(first));
  return (
    <div className="flex min-w-0 flex-col gap-2">
      {virtualHostsTotal > 1 && (
        <p className="note">
          {formatCounted(virtualHostsTotal, 'virtual host')}, chosen by the authority of each request
        </p>
      )}
      {shown.map((host, nth) => {
        const key = keyOf(host);
        return (
          <Host
            key={key}
            host={host}
            table={`${table}.${from + nth}`}
            isAlone={virtualHostsTotal === 1}
            isOpen={key === opened}
            onToggle={() => setChosen(key === opened ? '' : key)}
          />
        );
      })}
      {more}
      {virtualHosts.length < virtualHostsTotal && (
        <Pager
          label="virtual hosts"
          offset={from}
          limit={hostsPerPage}
          total={virtualHostsTotal}
          onChange={(next) => setQuery({ hosts: turnPage(query.hosts, table, next) }, 'push')}
        />
      )}
    </div>
  );
}

const keyOf = ({ name, path, routeConfig }: ResolvedHost) => JSON.stringify([routeConfig, name, path]);

interface HostProps {
  readonly host: ResolvedHost;
  /** Indexes of the chain and the host, used in the keys of its pages. */
  readonly table: string;
  readonly isAlone: boolean;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

function Host({ host, table, isAlone, isOpen, onToggle }: HostProps) {
  return (
    <section aria-label={`Virtual host ${host.host}`} className="min-w-0">
      <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-0.5">
        {isAlone ? (
          <h3 className="inline-flex min-w-0 items-center gap-1.5">
            <span className="note whitespace-nowrap">Virtual host</span>
            <ResourceButton resource={host} name={host.host} field={host.path} />
          </h3>
        ) : (
          <button
            type="button"
            aria-expanded={isOpen}
            onClick={onToggle}
            className="inline-flex min-h-6 min-w-0 items-center gap-1.5 rounded hover:text-accent"
          >
            <Icon name={isOpen ? 'chevron-down' : 'chevron-right'} sizePx={12} />
            <NameText name={host.host} />
          </button>
        )}
        <Domains host={host} />
        <span className="note">
          {formatCounted(host.routesTotal, 'route')}
          {host.neverReached > 0 && `, ${formatCount(host.neverReached)} never reached`}
          {host.perhapsReached > 0 && `, ${formatCount(host.perhapsReached)} perhaps`}
        </span>
      </div>
      {isOpen && <RouteTable host={host} table={table} />}
    </section>
  );
}

function Domains({ host: { domains, matchedDomain } }: { readonly host: ResolvedHost }) {
  // The matched domain comes first.
  const others = domains.filter((domain) => domain !== matchedDomain);
  const shown = others.slice(0, mostDomains);
  return (
    <span className="flex min-w-0 flex-wrap items-center gap-x-2 text-small" title={domains.join('\n')}>
      <span className="text-muted">domains</span>
      {matchedDomain !== undefined && (
        <span className="inline-flex min-w-0 items-center gap-1 rounded border border-acked/60 px-1.5 text-acked">
          <Icon name="check" sizePx={10} />
          <span className="min-w-0 font-mono break-all">{matchedDomain}</span> matched
        </span>
      )}
      {shown.map((domain) => (
        <span key={domain} className="min-w-0 font-mono break-all text-muted">
          {domain}
        </span>
      ))}
      {others.length > shown.length && (
        <span className="text-muted">and {formatCount(others.length - shown.length)} more</span>
      )}
    </span>
  );
}
