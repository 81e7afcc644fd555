'use client';

import Link from 'next/link';
import { Button } from '@/app/_components/button';
import { NameText } from '@/app/_components/name-text';
import { Pager } from '@/app/_components/pager';
import { GlyphMark } from '@/app/_components/shape-mark';
import { formatCount, formatCounted } from '@/lib/format/count';
import type { FleetExplanation, FleetOutcome, OutcomeClient } from '@/lib/views/explain/fleet-schema';
import { shapeOfOutcome } from '@/lib/views/explain/verdict-shape';
import { explainHref, type RequestTexts } from './search-params';

/** Clients that a page of a group lists. */
export const clientsPerPage = 50;

interface FleetOutcomesProps {
  readonly explanation: FleetExplanation;
  readonly texts: RequestTexts;
  /** The moment as in the URL; empty: now. */
  readonly at: string;
  /** Absent: all clients of an outcome cannot be listed. */
  readonly listing?: {
    readonly group: string;
    readonly onGroup: (group: string) => void;
    readonly onPage: (offset: number) => void;
  };
}

/** The clients by the outcome of one request, the most first. */
export function FleetOutcomes({ explanation, texts, at, listing }: FleetOutcomesProps) {
  const { groups, groupsTotal, chosen } = explanation;
  return (
    <ol aria-label="Outcomes" className="divide-y divide-line">
      {groups.map((each) => (
        <li key={each.id} className="px-4 py-3">
          <Outcome
            each={each}
            texts={texts}
            at={at}
            isOpen={listing?.group === each.id}
            onOpen={listing && (() => listing.onGroup(listing.group === each.id ? '' : each.id))}
          />
          {listing && chosen?.id === each.id && listing.group === each.id && (
            <div className="mt-2 flex flex-col gap-2">
              <ClientLinks label={`Clients of this outcome`} clients={chosen.items} texts={texts} at={at} />
              <Pager
                label="clients"
                offset={chosen.offset}
                limit={clientsPerPage}
                total={chosen.total}
                onChange={listing.onPage}
              />
            </div>
          )}
        </li>
      ))}
      {groups.length < groupsTotal && (
        <li className="note px-4 py-2">
          {formatCounted(groupsTotal - groups.length, 'outcome')} of fewer clients not listed: filter the
          clients.
        </li>
      )}
    </ol>
  );
}

interface OutcomeProps {
  readonly each: FleetOutcome;
  readonly texts: RequestTexts;
  readonly at: string;
  readonly isOpen: boolean;
  readonly onOpen: (() => void) | undefined;
}

function Outcome({
  each: { outcome, branches, clients, configs, someClients, routes, routesTotal },
  texts,
  at,
  isOpen,
  onOpen,
}: OutcomeProps) {
  const names = routes.map(({ name }) => name);
  const others = routesTotal - routes.length;
  const by = [
    ...names,
    ...(others > 0 && names.length > 0 ? [`${formatCounted(others, 'other route')}`] : []),
  ];
  const more = clients - someClients.length;
  return (
    <>
      <p className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
        <GlyphMark shape={shapeOfOutcome(branches > 1 ? undefined : outcome.kind)} />
        <strong className="min-w-0 flex-[1_1_16rem] font-semibold wrap-anywhere">{outcome.sentence}</strong>
        <span className="whitespace-nowrap tabular-nums">{formatCounted(clients, 'client')}</span>
      </p>
      <p className="note mt-0.5 wrap-anywhere">{[formatCounted(configs, 'config'), ...by].join(' · ')}</p>
      <div className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1">
        {!isOpen && (
          <ClientLinks label="Some clients of this outcome" clients={someClients} texts={texts} at={at} />
        )}
        {onOpen === undefined && more > 0 && <span className="note">and {formatCount(more)} more</span>}
        {onOpen && (more > 0 || isOpen) && (
          <Button tone="quiet" onPress={onOpen}>
            {isOpen ? 'Hide the list' : `List all ${formatCount(clients)}`}
          </Button>
        )}
      </div>
    </>
  );
}

interface ClientLinksProps {
  readonly label: string;
  readonly clients: readonly OutcomeClient[];
  readonly texts: RequestTexts;
  readonly at: string;
}

function ClientLinks({ label, clients, texts, at }: ClientLinksProps) {
  return (
    <ul aria-label={label} className="flex min-w-0 flex-wrap gap-x-4 gap-y-1">
      {clients.map(({ id, nodeId, scope, userAgent }) => (
        <li key={id} className="min-w-0">
          <Link
            href={explainHref(id, texts, at)}
            prefetch={false}
            title={`Show the steps of this client (${userAgent})`}
            className="inline-flex min-h-6 max-w-full items-center link-hover"
          >
            <NameText name={nodeId} />
            {scope !== '' && <span className="note ml-1">{scope}</span>}
          </Link>
        </li>
      ))}
    </ul>
  );
}
