import Link from 'next/link';
import { clientHref } from '@/app/_components/client-href';
import { compareHref } from '@/app/_components/compare-href';
import { NameText } from '@/app/_components/name-text';
import { formatCount, formatCounted } from '@/lib/format/count';
import { clientAddress } from '@/lib/views/compare/diff-address';
import type { CohortRow, CohortsAnswer } from '@/lib/views/fleet/schema';
import { formatResourceType } from '@/lib/xds/resource-type';
import { SeparatorsList } from './separators-list';

export function CohortsList({ reported }: { readonly reported: CohortsAnswer }) {
  // A cohort of one client is not typical of the others.
  const hasLargest = (reported.items[0]?.clients ?? 0) > 1;
  const typical = hasLargest ? reported.items[0]?.someClients[0] : undefined;
  return (
    <ol className="divide-y divide-line">
      {reported.items.map((cohort, index) => (
        <li key={cohort.content} className="flex flex-col gap-1.5 px-4 py-3">
          <CohortHead cohort={cohort} isLargest={hasLargest && index === 0} hasLargest={hasLargest} />
          <Members cohort={cohort} typicalId={index === 0 ? undefined : typical?.id} />
          {index > 0 && cohort.clients > 1 && <SeparatorsList separators={cohort.separators.slice(0, 2)} />}
        </li>
      ))}
      {reported.total > reported.items.length && (
        <li className="px-4 py-3 text-muted">
          and {formatCounted(reported.total - reported.items.length, 'smaller cohort')}. Filter, or compare
          one type, to see them
        </li>
      )}
    </ol>
  );
}

interface CohortHeadProps {
  readonly cohort: CohortRow;
  readonly isLargest: boolean;
  readonly hasLargest: boolean;
}

function CohortHead({ cohort, isLargest, hasLargest }: CohortHeadProps) {
  const { clients, resources, unreported, differsIn, content } = cohort;
  return (
    <p className="flex flex-wrap items-baseline gap-x-3">
      <Link href={`/clients?q=${encodeURIComponent(`runs=${content}`)}`} className="font-medium link-quiet">
        {formatCounted(clients, 'client')}
      </Link>
      <span className="note">
        {formatCounted(resources, 'resource')}
        {unreported > 0 && `, ${formatCount(unreported)} without reported content`}
        {isLargest && ', the largest cohort'}
        {hasLargest &&
          differsIn.length > 0 &&
          `, differs from the largest in ${differsIn.map(formatResourceType).join(', ')}`}
      </span>
    </p>
  );
}

interface MembersProps {
  readonly cohort: CohortRow;
  /** A client of the largest cohort; undefined for the largest cohort itself. */
  readonly typicalId: string | undefined;
}

function Members({ cohort: { clients, someClients }, typicalId }: MembersProps) {
  const [first] = someClients;
  return (
    <p className="flex min-w-0 flex-wrap gap-x-3 gap-y-1 text-small">
      {someClients.map(({ id, nodeId }) => (
        <Link key={id} href={clientHref(id)} className="min-w-0 link-hover">
          <NameText name={nodeId} />
        </Link>
      ))}
      {clients > someClients.length && (
        <span className="text-muted">and {formatCount(clients - someClients.length)} more</span>
      )}
      {typicalId !== undefined && first !== undefined && (
        <Link href={compareHref(clientAddress(typicalId), clientAddress(first.id))} className="link">
          Compare with the largest cohort
        </Link>
      )}
    </p>
  );
}
