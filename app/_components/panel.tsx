import { type ReactNode, useId } from 'react';
import { Freshness } from './freshness';

interface PanelProps {
  /** For a link that leads here. */
  readonly id?: string;
  readonly title: string;
  /** From which vantage the facts are, in words: "CSDS of 4 clients", "what xdscope recorded". */
  readonly vantage: string;
  /** The newest fact's time (ISO 8601); null when there is none yet. */
  readonly age?: string | null;
  /** What is missing, in words: "2 of 3 sources answered". Empty or undefined: nothing is missing. */
  readonly partial?: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
  readonly className?: string;
  /** Without padding, for tables and pictures that reach the border. */
  readonly flush?: boolean;
}

/** A named area of a page. It always states which sources it shows, how old their data is and whether it is partial. */
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
        <h2 id={titleId} className="text-[0.9286rem] font-semibold">
          {title}
        </h2>
        <Freshness vantage={vantage} age={age} partial={partial} />
        {actions !== undefined && <div className="ml-auto flex items-center gap-2">{actions}</div>}
      </header>
      <div className={flush === true ? 'flex min-h-0 flex-1 flex-col' : 'p-4'}>{children}</div>
    </section>
  );
}
