import type { ReactNode } from 'react';

interface EmptyStateProps {
  readonly title: string;
  /** The reason, and what to do about it. */
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}

export function EmptyState({ title, children, action }: EmptyStateProps) {
  return (
    <div className="mx-auto flex max-w-md flex-col items-center gap-2 px-6 py-10 text-center">
      <svg viewBox="0 0 48 24" width={48} height={24} aria-hidden="true" className="text-line-strong">
        <path
          d="M1 12h12M35 12h12M18 12a6 6 0 1 1 12 0a6 6 0 1 1 -12 0"
          fill="none"
          stroke="currentColor"
          strokeWidth={1.5}
          strokeDasharray="2.5 3"
          strokeLinecap="round"
        />
      </svg>
      <p className="font-medium">{title}</p>
      {children !== undefined && <div className="text-muted">{children}</div>}
      {action !== undefined && <div className="mt-2">{action}</div>}
    </div>
  );
}
