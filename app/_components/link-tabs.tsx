'use client';

import Link from 'next/link';
import type { ReactNode } from 'react';
import { useCurrentLinkVisible } from '../_hooks/use-current-link-visible';
import { usePaletteOffers } from './palette/palette-context';

interface LinkTab {
  readonly href: string;
  readonly label: string;
  readonly isCurrent: boolean;
  /** The tooltip: what the tab shows, in one sentence. */
  readonly description?: string;
  /** Shown after the label, as a count. */
  readonly badge?: ReactNode;
}

export function LinkTabs({ label, tabs }: { readonly label: string; readonly tabs: readonly LinkTab[] }) {
  const row = useCurrentLinkVisible(tabs.find(({ isCurrent }) => isCurrent)?.label ?? '');
  usePaletteOffers(() => tabs.map(({ href, label: title }) => ({ title, label, target: { href } })));
  return (
    <nav ref={row} aria-label={label} className="flex min-w-0 shrink-0 gap-1 overflow-x-auto">
      {tabs.map((tab) => (
        <Link
          key={tab.href}
          href={tab.href}
          title={tab.description}
          // A search changes the URL with each keystroke, and each URL would be prefetched.
          prefetch={false}
          aria-current={tab.isCurrent ? 'page' : undefined}
          className={`inline-flex h-9 items-center gap-1.5 border-b-2 px-3 whitespace-nowrap transition ${
            tab.isCurrent
              ? 'border-accent font-medium text-text'
              : 'border-transparent text-muted hover:border-line-strong hover:text-text'
          }`}
        >
          {tab.label}
          {tab.badge}
        </Link>
      ))}
    </nav>
  );
}
