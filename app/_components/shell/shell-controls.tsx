'use client';

import { useQuestion } from '@/app/_ask/use-question';
import { Icon, type IconName } from '@/app/_components/icon';
import { StaleBanner } from '@/app/_components/stale-banner';
import { useExactTimes } from '@/app/_hooks/use-exact-times';
import { useIsHydrated } from '@/app/_hooks/use-is-hydrated';
import { type Theme, useTheme } from '@/app/_hooks/use-theme';
import { localTimeZone, setTimeZone, useTimeZone } from '@/app/_hooks/use-time-zone';
import { describeStorage } from '@/lib/views/sources/describe-storage';
import { useConnection } from '../../_stream/use-live-stream';
import { StatusMark } from '../status-mark';
import { TimeAgo } from '../time-ago';

const marks = {
  connecting: { status: 'REQUESTED', word: 'connecting' },
  live: { status: 'ACKED', word: 'live' },
  reconnecting: { status: 'TIMEOUT', word: 'reconnecting' },
  disconnected: { status: 'NACKED', word: 'disconnected' },
} as const;

/** The connection of the page to the server, announced on changes only. */
export function ConnectionMark() {
  const { kind } = useConnection();
  const { status, word } = marks[kind];
  return (
    <span role="status" title="The stream of changes from the xdscope server to this browser">
      <StatusMark status={status} word={word} sizePx={9} />
    </span>
  );
}

const themes: Readonly<Record<Theme, { icon: IconName; label: string; next: Theme }>> = {
  system: { icon: 'screen', label: 'system', next: 'light' },
  light: { icon: 'sun', label: 'light', next: 'dark' },
  dark: { icon: 'moon', label: 'dark', next: 'system' },
};

export function ThemeSwitch() {
  const [theme, setTheme] = useTheme();
  const { icon, label, next } = themes[theme];
  const description = `Theme: ${label}. Switch to ${themes[next].label}`;
  return (
    <button
      type="button"
      onClick={() => setTheme(next)}
      aria-label={description}
      title={description}
      className="inline-flex size-8 items-center justify-center rounded-md text-muted transition hover:bg-hover hover:text-text"
    >
      <Icon name={icon} sizePx={16} />
    </button>
  );
}

/** Toggles between ages ("12 s ago") and absolute times. */
export function ExactTimesSwitch() {
  const [isExact, setExact] = useExactTimes();
  return (
    <button
      type="button"
      aria-pressed={isExact}
      aria-label="Show absolute times"
      title={isExact ? 'Show relative times' : 'Show absolute times'}
      onClick={() => setExact(!isExact)}
      className={`inline-flex size-8 items-center justify-center rounded-md transition hover:bg-hover hover:text-text ${isExact ? 'bg-accent-soft text-text' : ''}`}
    >
      <Icon name="clock" sizePx={16} />
    </button>
  );
}

/** States the time zone of all times, and switches between UTC and the one of the browser. */
export function TimeZoneSwitch() {
  const timeZone = useTimeZone();
  const [isUtc, local] = [timeZone === 'UTC', localTimeZone()];
  const next = isUtc ? `local time (${local})` : 'UTC';
  return (
    <button
      type="button"
      title={`Times are in ${isUtc ? 'UTC' : `local time (${local})`}. Switch to ${next}`}
      onClick={() => setTimeZone(isUtc ? 'local' : 'UTC')}
      className="inline-flex h-8 min-w-8 items-center justify-center rounded-md px-1.5 whitespace-nowrap transition hover:bg-hover hover:text-text"
      suppressHydrationWarning
    >
      <span suppressHydrationWarning>{formatZone(timeZone)}</span>
      <span className="sr-only" suppressHydrationWarning>
        : switch to {next}
      </span>
    </button>
  );
}

/** "UTC", "GMT+1". */
function formatZone(timeZone: string): string {
  if (timeZone === 'UTC') return 'UTC';
  const parts = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'short' }).formatToParts();
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? timeZone;
}

export function ConnectionBanner() {
  const connection = useConnection();
  if (connection.kind !== 'disconnected') return null;
  return (
    <div className="px-3 pt-3 md:px-5">
      <StaleBanner>
        <strong className="font-semibold">Not connected to xdscope.</strong> Connection lost{' '}
        <TimeAgo at={connection.since} />. The page shows what was received before; a page that you choose now
        opens when the server answers. Reconnecting …
      </StaleBanner>
    </div>
  );
}

/** States on every page that nothing is recorded, or that a part of the recording is unreadable. */
export function StorageBanner() {
  return useIsHydrated() ? <StorageRemarks /> : null;
}

function StorageRemarks() {
  const { data: health } = useQuestion('health', {});
  const remarks = health === undefined ? [] : describeStorage(health);
  return remarks.map(({ title, text, tone }) => (
    <div key={title + text} className="px-3 pt-3 md:px-5">
      <StaleBanner tone={tone}>
        <strong className="font-semibold">{title}:</strong> {text}
      </StaleBanner>
    </div>
  ));
}

const shownOnFocus =
  'sr-only focus:not-sr-only focus:absolute focus:z-50 focus:m-2 focus:rounded-md focus:bg-raised focus:px-3 focus:py-2';

/** The tab stop of a table is a row, that of the graph a node. */
const viewStop = '#main :is([data-row-id], [data-id])[tabindex="0"]';

/** The first two tab stops of every page: past the navigation, and past the controls of the page as well. */
export function SkipLinks() {
  return (
    <>
      <a href="#main" className={shownOnFocus}>
        Skip to the content
      </a>
      <button type="button" onClick={skipToView} className={shownOnFocus}>
        Skip to the table or graph
      </button>
    </>
  );
}

/** On a page with neither, the button leads to the content. */
function skipToView(): void {
  const stop = document.querySelector<HTMLElement | SVGElement>(viewStop);
  (stop ?? document.getElementById('main'))?.focus();
}
