'use client';

import { useMemo } from 'react';
import { useResourceBody } from '@/app/_ask/use-resource-body';
import { NameText } from '@/app/_components/name-text';
import { QueryContent } from '@/app/_components/query-content';
import { separator } from '@/app/_components/separator';
import { formatCounted } from '@/lib/format/count';
import { type HostLine, isInTrouble, listHosts } from '@/lib/model/host-health';
import type { ResourceRowJson } from '@/lib/views/resources/row-schema';

/** The content has all of them. */
const mostShown = 50;

/** The health of each host as Envoy reports it (/clusters), compared with EDS. */
export function HostsSection({ row }: { readonly row: ResourceRowJson }) {
  const { data, error, refetch } = useResourceBody(row.hash, 'json');
  const hosts = useMemo(() => (data === undefined ? undefined : listHosts(JSON.parse(data.text))), [data]);
  if (row.hash === null) return null;
  return (
    <QueryContent query={{ data: hosts, error, refetch }} what="the hosts" rows={3}>
      {(loaded) => <Hosts hosts={loaded} row={row} />}
    </QueryContent>
  );
}

interface HostsProps {
  readonly hosts: readonly HostLine[];
  readonly row: ResourceRowJson;
}

function Hosts({ hosts, row }: HostsProps) {
  const troubled = hosts.filter(isInTrouble).length;
  return (
    <section aria-label="Hosts" className="flex flex-col gap-1.5">
      <h3 className="flex flex-wrap items-baseline gap-x-2 text-small font-semibold">
        {formatCounted(hosts.length, 'host')} reported by Envoy
        <span className={`font-normal ${troubled > 0 ? 'text-nacked' : 'text-muted'}`}>
          {troubled === 0 ? 'all healthy' : `${troubled} unhealthy`}
        </span>
      </h3>
      {hosts.length > 0 && (
        <ul className="flex flex-col rounded-md border border-line text-small">
          {hosts.slice(0, mostShown).map((host) => (
            <Host key={`${host.address} ${host.hostname} P${host.priority} ${host.locality}`} host={host} />
          ))}
        </ul>
      )}
      {hosts.length > mostShown && (
        <p className="text-tiny text-muted">
          {formatCounted(hosts.length - mostShown, 'host')} more in the content of {row.service} {row.name}
        </p>
      )}
    </section>
  );
}

function Host({ host }: { readonly host: HostLine }) {
  const { address, hostname, health, reason, edsHealth, locality, priority, weight } = host;
  const where = [`P${priority}`, locality, weight > 0 ? `weight ${weight}` : ''].filter(
    (part) => part !== '',
  );
  const disagrees = reason !== '' && edsHealth !== health;
  return (
    <li className="flex flex-wrap items-baseline gap-x-3 border-t border-line px-2.5 py-1 first:border-t-0">
      <span className="min-w-0 font-mono" translate="no">
        <NameText name={address === '' ? '(no address)' : address} />
      </span>
      <span className={isInTrouble(host) ? 'font-medium text-nacked' : undefined}>
        {health.toLowerCase()}
      </span>
      {reason !== '' && <span className="min-w-0 break-words">{reason}</span>}
      {disagrees && <span className="text-muted">EDS: {edsHealth.toLowerCase()}</span>}
      <span className="ml-auto text-muted">
        {[...where, hostname].filter((part) => part !== '').join(separator)}
      </span>
    </li>
  );
}
