import Link from 'next/link';
import type { ReactNode } from 'react';
import { ImportAnywhere } from '../imports/import-anywhere';
import { ImportQueueProvider } from '../imports/import-queue';
import { MissionHint } from '../missions/mission-hint';
import { PaletteProvider } from '../palette/palette-context';
import { SearchButton } from '../palette/search-button';
import { TimeRangePicker } from '../time-range/time-range-picker';
import { PlacesNav } from './places-nav';
import {
  ConnectionBanner,
  ConnectionMark,
  ExactTimesSwitch,
  SkipLinks,
  StorageBanner,
  ThemeSwitch,
  TimeZoneSwitch,
} from './shell-controls';

/** The frame of every page: navigation, connection, time zone and theme. */
export function Shell({ children }: { readonly children: ReactNode }) {
  return (
    <PaletteProvider>
      <ImportQueueProvider>
        <div className="flex min-h-dvh flex-col md:h-dvh">
          <SkipLinks />
          <header className="flex flex-wrap items-center gap-x-4 border-b border-line bg-raised px-3 md:h-12 md:flex-nowrap md:px-5">
            <Link
              href="/"
              prefetch={false}
              className="flex h-11 items-center gap-2 text-[1.0714rem] font-semibold tracking-tight md:h-12"
            >
              <Logo />
              xdscope
            </Link>
            <div className="order-last w-full min-w-0 md:order-none md:w-auto md:flex-1">
              <PlacesNav />
            </div>
            <TimeRangePicker />
            <div className="ml-auto flex items-center gap-2 note">
              <SearchButton />
              <ConnectionMark />
              <ExactTimesSwitch />
              <TimeZoneSwitch />
              <ThemeSwitch />
            </div>
          </header>
          <main
            id="main"
            tabIndex={-1}
            className="relative flex min-h-0 flex-1 flex-col outline-none md:overflow-y-auto"
          >
            <ConnectionBanner />
            <StorageBanner />
            {children}
          </main>
          <ImportAnywhere />
          <MissionHint />
        </div>
      </ImportQueueProvider>
    </PaletteProvider>
  );
}

function Logo() {
  return (
    <svg viewBox="0 0 24 24" width={22} height={22} aria-hidden="true">
      <g fill="none" stroke="var(--border-strong)" strokeWidth={1.6}>
        <path d="M6 12h4c4 0 3-6.5 8-6.5M10 12h8M10 12c4 0 3 6.5 8 6.5" />
      </g>
      <circle cx={5} cy={12} r={3.2} fill="var(--accent)" />
      <circle cx={19} cy={5.5} r={2.4} fill="var(--status-acked)" />
      <circle cx={19} cy={12} r={2.4} fill="var(--status-acked)" />
      <path d="M19 15.5L22 21H16Z" fill="var(--status-nacked)" />
    </svg>
  );
}
