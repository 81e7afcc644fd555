'use client';

import { useEffect, useState } from 'react';

interface SkeletonProps {
  /** As in "the clients"; shown after 2 s. */
  readonly waitsFor: string;
  readonly rows?: number;
}

const saysAfterMs = 2_000;

/** Placeholder lines, with a text after 2 s. */
export function Skeleton({ waitsFor, rows = 6 }: SkeletonProps) {
  const [isLate, setLate] = useState(false);

  useEffect(() => {
    const timer = setTimeout(() => setLate(true), saysAfterMs);
    return () => clearTimeout(timer);
  }, []);

  return (
    <div className="flex flex-col gap-3 p-4" aria-busy="true">
      <p role="status" className="min-h-5 text-muted">
        {isLate ? `Loading ${waitsFor} …` : ''}
      </p>
      <div aria-hidden="true" className="flex flex-col gap-3">
        {lineWidths(rows).map(({ id, width }) => (
          <div key={id} className="h-3.5 rounded bg-hover motion-safe:animate-pulse" style={{ width }} />
        ))}
      </div>
    </div>
  );
}

/** Varied widths, equal on server and browser. */
function lineWidths(rows: number): { id: string; width: string }[] {
  return Array.from({ length: rows }, (_, row) => ({
    id: `line ${row}`,
    width: `${92 - ((row * 37) % 45)}%`,
  }));
}
