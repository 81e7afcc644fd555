import { type ReactNode, useId } from 'react';
import type { EpochMs } from '@/lib/xds/units';
import { Freshness } from './freshness';

interface PanelProps {
  /** The target of links. */
  readonly id?: string;
  readonly title: string;
  /** The origin of the data, as in "CSDS of 4 clients". */
  readonly vantage: string;
  /** The time of the newest data; null: none yet. */
  readonly age?: EpochMs | null;
  /** A statement of what is missing, as in "2 of 3 sources connected"; empty or undefined: nothing. */
  readonly partial?: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
  readonly className?: string;
  readonly flush?: boolean;
}

/** A titled part of a page that states the origin, age and completeness of its data. */
export function Panel({
  id,
  title,
  vantage,
  age,
  partial,
  actions,
  children,
  className = '',
  flush,
}: PanelProps) {
  const titleId = useId();
  return (
    <section
      id={id}
      aria-labelledby={titleId}
      className={`flex min-w-0 flex-col overflow-hidden rounded-lg border border-line bg-raised ${className}`}
    >
      <header className="flex min-h-11 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-1.5">
        <h2 id={titleId} className="text-medium font-semibold">
          {title}
        </h2>
        <Freshness vantage={vantage} age={age} partial={partial} />
        {actions !== undefined && <div className="ml-auto flex items-center gap-2">{actions}</div>}
      </header>
      <div className={flush === true ? 'flex min-h-0 flex-1 flex-col' : 'p-4'}>{children}</div>
    </section>
  );
}
