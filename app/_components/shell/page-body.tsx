import type { ReactNode } from 'react';

/** The content of a page. `fills`: as high as the window, for a table that scrolls by itself. */
export function PageBody({
  children,
  fills = false,
}: {
  readonly children: ReactNode;
  readonly fills?: boolean;
}) {
  return (
    <div className={`flex flex-col gap-3 p-3 md:px-5 md:py-4 ${fills ? 'min-h-0 flex-1' : ''}`}>
      {children}
    </div>
  );
}

interface PageTableProps {
  /** The name of the region for a screen reader. */
  readonly label: string;
  readonly className?: string;
  readonly children: ReactNode;
}

/** The frame of a table that takes the remaining height of a page and scrolls by itself. */
export function PageTable({ label, className = 'min-h-80', children }: PageTableProps) {
  return (
    <section
      aria-label={label}
      className={`flex flex-1 flex-col overflow-hidden rounded-lg border border-line bg-raised ${className}`}
    >
      {children}
    </section>
  );
}
