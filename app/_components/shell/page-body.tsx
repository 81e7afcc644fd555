import type { ReactNode } from 'react';

/** The inside of a page. `fills`: as high as the window, for a table that scrolls by itself. */
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
