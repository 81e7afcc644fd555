import type { Metadata } from 'next';
import Link from 'next/link';
import { EmptyState } from './_components/empty-state';
import { Shell } from './_components/shell/shell';

export const metadata: Metadata = { title: 'Not found' };

export default function NotFound() {
  return (
    <Shell>
      <h1 className="sr-only">Not found</h1>
      <EmptyState
        title="Page not found"
        action={
          <Link href="/" className="link">
            Go to the overview
          </Link>
        }
      >
        The link may be incomplete, or the item was removed.
      </EmptyState>
    </Shell>
  );
}
