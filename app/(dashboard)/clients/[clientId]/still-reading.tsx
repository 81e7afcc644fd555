'use client';

import { usePathname, useRouter } from 'next/navigation';
import { type ReactNode, useEffect } from 'react';
import { EmptyState } from '@/app/_components/empty-state';

const lookAgainMs = 2_000;

interface StillReadingProps {
  /** Labels of the files that are being read now. */
  readonly files: readonly string[];
  /** Where it cannot be of one of them. */
  readonly children: ReactNode;
}

/** The client of a link may be in a file that is not loaded yet: it is looked for again until the files are through. */
export function StillReading({ files, children }: StillReadingProps) {
  const router = useRouter();
  // Ids of clients in files begin so.
  const isOfFile = /\/clients\/x/.test(usePathname());
  const isWaiting = isOfFile && files.length > 0;
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setInterval(() => router.refresh(), lookAgainMs);
    return () => clearInterval(timer);
  }, [isWaiting, router]);
  if (!isWaiting) return children;
  return (
    <>
      <h1 className="sr-only">Still being read</h1>
      <EmptyState title="Its file is still being read">
        This is a client of a file, and it is not there yet. {files.join(', ')}{' '}
        {files.length === 1 ? 'is' : 'are'} being read now; the client is shown as soon as it comes up.
      </EmptyState>
    </>
  );
}
