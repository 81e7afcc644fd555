'use client';

import Link from 'next/link';
import { useParams } from 'next/navigation';
import type { ReactNode } from 'react';
import { EmptyState } from '@/app/_components/empty-state';
import { isClientView } from '@/lib/views/client/client-views';

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
