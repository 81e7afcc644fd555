'use client';

import { usePathname, useRouter } from 'next/navigation';
import { type ReactNode, useEffect } from 'react';
import { EmptyState } from '@/app/_components/empty-state';

const lookAgainMs = 2_000;

interface StillReadingProps {
  readonly files: readonly string[];
  /** Shown if the client cannot be in one of the files. */
  readonly children: ReactNode;
}

/** Refreshes the page until the imported files are read, because the client of a link may be in one of them. */
export function StillReading({ files, children }: StillReadingProps) {
  const router = useRouter();
  // IDs of clients of files start with x.
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
      <EmptyState title="The file is still being read">
        The client may be in {files.join(', ')}, which {files.length === 1 ? 'is' : 'are'} being read. It is
        shown as soon as it is found.
      </EmptyState>
    </>
  );
}
