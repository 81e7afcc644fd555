'use client';

import Link from 'next/link';
import { usePathname } from 'next/navigation';
import { useState } from 'react';
import { formatCount } from '@/lib/format/count';
import { useHealth } from '../../_hooks/queries';
import { useCurrentLinkVisible } from '../../_hooks/use-current-link-visible';
import { useLiveStream } from '../../_stream/use-live-stream';
import { StatusMark } from '../status-mark';

interface Place {
  readonly href: string;
  readonly label: string;
  /** A second page of the same section. */
  readonly alsoAt?: string;
}

const places: readonly Place[] = [
  { href: '/', label: 'Overview' },
  { href: '/clients', label: 'Clients' },
  { href: '/compare', label: 'Compare' },
  { href: '/history', label: 'History' },
  { href: '/nacks', label: 'NACKs' },
  { href: '/convergence', label: 'Convergence', alsoAt: '/churn' },
  { href: '/load', label: 'Load' },
  { href: '/sources', label: 'Sources' },
  { href: '/lab', label: 'Lab' },
];

export function PlacesNav() {
  const path = usePathname();
  const { data: health } = useHealth();
  useLiveStream('sources');
  const down = health?.sources.down ?? 0;
  const row = useCurrentLinkVisible(path);
  // Prefetching all places takes a third of the server's time for a page.
  const [intended, setIntended] = useState<string>();
  return (
    <nav ref={row} aria-label="Places" className="-mx-1 flex gap-0.5 overflow-x-auto px-1">
      {places.map(({ href, label, alsoAt }) => {
        const isCurrent =
          href === '/' ? path === '/' : path === href || path === alsoAt || path.startsWith(`${href}/`);
        return (
          <Link
            key={href}
            href={href}
            prefetch={intended === href ? null : false}
            onPointerEnter={() => setIntended(href)}
            onFocus={() => setIntended(href)}
            aria-current={isCurrent ? 'page' : undefined}
            className={`inline-flex h-10 items-center gap-1.5 border-y-2 border-t-transparent px-2.5 whitespace-nowrap transition md:h-12 ${
              isCurrent
                ? 'border-b-accent font-medium text-text'
                : 'border-b-transparent text-muted hover:text-text'
            }`}
          >
            {label}
            {href === '/sources' && down > 0 && (
              <StatusMark
                status="UNHEALTHY"
                word={`${formatCount(down)} down`}
                sizePx={9}
                className="text-tiny"
              />
            )}
          </Link>
        );
      })}
    </nav>
  );
}
