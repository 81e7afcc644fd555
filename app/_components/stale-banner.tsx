import type { ReactNode } from 'react';
import { Icon } from './icon';

interface StaleBannerProps {
  readonly children: ReactNode;
  readonly action?: ReactNode;
  /** `notice`: a fact about the page; `stale`: the data may be out of date. */
  readonly tone?: 'stale' | 'notice';
}

export function StaleBanner({ children, action, tone = 'stale' }: StaleBannerProps) {
  const color = tone === 'stale' ? 'var(--status-timeout)' : 'var(--accent)';
  return (
    <div
      role="status"
      className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded-lg border px-4 py-2"
      style={{
        borderColor: `color-mix(in oklab, ${color} 45%, var(--border))`,
        background: `color-mix(in oklab, ${color} 9%, var(--surface-raised))`,
      }}
    >
      <span style={{ color }}>
        <Icon name={tone === 'stale' ? 'warning' : 'clock'} sizePx={16} />
      </span>
      <div className="min-w-0 flex-[1_1_15rem] break-words">{children}</div>
      {action}
    </div>
  );
}
