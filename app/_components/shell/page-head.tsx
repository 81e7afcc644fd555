import type { ReactNode } from 'react';
import type { EpochMs } from '@/lib/xds/units';
import { Freshness } from '../freshness';

interface PageHeadProps {
  readonly title: string;
  /** The origin of the data of the page. */
  readonly vantage: string;
  readonly age?: EpochMs | null;
  readonly partial?: string;
  readonly actions?: ReactNode;
}

export function PageHead({ title, vantage, age, partial, actions }: PageHeadProps) {
  return (
    <header className="flex min-h-9 flex-wrap items-center gap-x-4 gap-y-1.5">
      <h1 className="min-w-0 text-[1.2857rem] font-semibold tracking-tight wrap-anywhere">{title}</h1>
      <Freshness vantage={vantage} age={age} partial={partial} />
      {actions !== undefined && <div className="ml-auto flex flex-wrap items-center gap-2">{actions}</div>}
    </header>
  );
}
