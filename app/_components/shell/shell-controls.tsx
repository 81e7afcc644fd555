'use client';

import { browserTimeZone } from '@/app/_components/browser-time-zone';
import { Icon, type IconName } from '@/app/_components/icon';
import { useClockText } from '@/app/_hooks/use-clock-text';
import { useExactTimes } from '@/app/_hooks/use-exact-times';
import { type Theme, useTheme } from '@/app/_hooks/use-theme';
import { useConnection } from '../../_stream/use-live-stream';
import { StatusMark } from '../status-mark';

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

/** The current time and its zone; toggles between relative and absolute times. */
export function TimeZoneText() {
  const text = useClockText((now) => formatClock(now, browserTimeZone()));
  const [isExact, setExact] = useExactTimes();
  return (
    <button
      type="button"
      aria-pressed={isExact}
      aria-label="Show absolute times"
      title={`${isExact ? 'Show relative times' : 'Show absolute times'}; the zone is ${browserTimeZone()}`}
      onClick={() => setExact(!isExact)}
      className={`inline-flex h-8 min-w-8 items-center justify-center gap-1.5 rounded-md px-1.5 whitespace-nowrap transition hover:bg-hover hover:text-text ${isExact ? 'bg-accent-soft text-text' : ''}`}
      suppressHydrationWarning
    >
      <Icon name="clock" sizePx={14} />
      <span className="hidden tabular-nums lg:inline" suppressHydrationWarning>
        {text}
      </span>
    </button>
  );
}

function formatClock(now: number, timeZone: string): string {
  const time = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' }).format(now);
  return `${time} ${timeZone}`;
}
