'use client';

import Link from 'next/link';
import { useParams, usePathname, useRouter } from 'next/navigation';
import { type ReactNode, useEffect } from 'react';
import { EmptyState } from '@/app/_components/empty-state';
import { isClientView } from '@/lib/views/client/client-views';

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

/** Shows its children, or, if the last part of the path names no view, that there is none of this name. */
export function UnknownView({ children }: { readonly children: ReactNode }) {
  const { clientId, tab } = useParams<{ clientId: string; tab?: string }>();
  if (tab === undefined || isClientView(tab)) return children;
  return (
    <>
      <h1 className="sr-only">View not found</h1>
      <EmptyState
        title="View not found"
        action={
          <Link href={`/clients/${clientId}`} className="link">
            See the client
          </Link>
        }
      >
        A client has no view named “{tab}”.
      </EmptyState>
    </>
  );
}
