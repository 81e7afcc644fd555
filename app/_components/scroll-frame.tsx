import type { ReactNode } from 'react';

interface ScrollFrameProps {
  /** What is in the frame, for those who do not see it. */
  readonly label: string;
  readonly children: ReactNode;
  readonly className?: string;
}

/** Scrolls sideways what is wider than the page, by keyboard as well. */
export function ScrollFrame({ label, children, className = '' }: ScrollFrameProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
    <section aria-label={label} tabIndex={0} className={`overflow-x-auto ${className}`}>
      {children}
    </section>
  );
}
