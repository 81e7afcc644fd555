import { type ReactNode, useId } from 'react';

interface ResolvedSectionProps {
  readonly title: string;
  readonly count?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

export function ResolvedSection({ title, count, actions, children }: ResolvedSectionProps) {
  const titleId = useId();
  return (
    <section aria-labelledby={titleId} className="border-b border-line">
      <header className="flex min-h-10 flex-wrap items-center gap-x-3 gap-y-1.5 px-4 py-1.5">
        <h2 id={titleId} className="text-medium font-semibold">
          {title}
        </h2>
        {count !== undefined && <span className="note">{count}</span>}
        {actions}
      </header>
      {children}
    </section>
  );
}
