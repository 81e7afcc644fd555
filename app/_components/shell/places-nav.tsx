'use client';

import Link from 'next/link';
import { usePathname } from 'next/navigation';
import { useState } from 'react';
import { openIssues } from '@/app/_ask/common-questions';
import { useQuestion } from '@/app/_ask/use-question';
import { formatCount, formatCounted } from '@/lib/format/count';
import { useCurrentLinkVisible } from '../../_hooks/use-current-link-visible';
import { useIsHydrated } from '../../_hooks/use-is-hydrated';
import { useLiveStream } from '../../_stream/use-live-stream';
import { StatusMark } from '../status-mark';
import { useCarriedRange } from '../time-range/use-carried-range';

interface Place {
  readonly href: string;
  readonly label: string;
  /** The tooltip. */
  readonly description: string;
  /** Paths of other pages that belong to the place. */
  readonly alsoAt?: readonly string[];
}

const places: readonly Place[] = [
  {
    href: '/',
    label: 'Overview',
    description: 'What is broken, for which clients, since when and why.',
  },
  {
    href: '/clients',
    label: 'Clients',
    description: 'What each xDS client runs, by resource type; cohorts, sizes and certificates of the fleet.',
    alsoAt: ['/compare'],
  },
  {
    href: '/nacks',
    label: 'NACKs',
    description:
      'Rejected resources by cause, with the field that error_detail names (xDS transport protocol: ACK and NACK).',
  },
  {
    href: '/pushes',
    label: 'Pushes',
    description: 'Which clients ACKed, NACKed or have not answered what each control plane sent.',
  },
  {
    href: '/history',
    label: 'History',
    description: 'What was requested, sent and answered on each stream, in the order of the log.',
  },
  {
    href: '/load',
    label: 'Load',
    description: 'Requests and errors by client, cluster and locality, as load reports (LRS) state them.',
  },
  {
    href: '/explain',
    label: 'Explain',
    description: 'Where each client would send a request, in groups of clients that do the same.',
  },
  {
    href: '/check',
    label: 'Check',
    description:
      'What a config would do before it is pushed: a verdict for each client version of the fleet.',
  },
  {
    href: '/interop',
    label: 'Interop',
    description: 'What clients and management servers really support, by running the rules of the protocol.',
  },
  {
    href: '/sources',
    label: 'Settings',
    description: 'Sources, recorder, imports, lab and version of this xdscope.',
    alsoAt: ['/lab', '/about'],
  },
];

export function PlacesNav() {
  const path = usePathname();
  useLiveStream('sources', 'issues');
  const isHydrated = useIsHydrated();
  const row = useCurrentLinkVisible(path);
  const withRange = useCarriedRange();
  // Prefetching all places takes a third of the server's time for a page.
  const [intended, setIntended] = useState<string>();
  return (
    <nav ref={row} aria-label="Places" className="-mx-1 flex gap-0.5 overflow-x-auto px-1">
      {places.map(({ href, label, description, alsoAt = [] }) => {
        const isCurrent =
          href === '/' ? path === '/' : [href, ...alsoAt].some((root) => `${path}/`.startsWith(`${root}/`));
        return (
          <Link
            key={href}
            href={withRange(href)}
            title={description}
            prefetch={intended === href ? null : false}
            onPointerEnter={() => setIntended(href)}
            onFocus={() => setIntended(href)}
            aria-current={isCurrent ? 'page' : undefined}
            className={`inline-flex h-10 items-center gap-1.5 border-y-2 border-t-transparent px-2.5 whitespace-nowrap md:px-1.5 xl:px-2.5 transition md:h-12 ${
              isCurrent
                ? 'border-b-accent font-medium text-text'
                : 'border-b-transparent text-muted hover:text-text'
            }`}
          >
            {label}
            {href === '/' && isHydrated && <OpenIssues />}
            {href === '/sources' && isHydrated && <SourcesDown />}
          </Link>
        );
      })}
    </nav>
  );
}

function OpenIssues() {
  const { data: issues } = useQuestion('issues', openIssues);
  const open = issues?.counts.open ?? 0;
  if (open === 0) return null;
  return <StatusMark status="NACKED" word={formatCounted(open, 'issue')} sizePx={9} className="text-tiny" />;
}

function SourcesDown() {
  const { data: health } = useQuestion('health', {});
  const down = health?.sources.down ?? 0;
  if (down === 0) return null;
  return (
    <StatusMark status="UNHEALTHY" word={`${formatCount(down)} down`} sizePx={9} className="text-tiny" />
  );
}
