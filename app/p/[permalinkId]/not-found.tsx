import Link from 'next/link';
import { EmptyState } from '@/app/_components/empty-state';

export default function PermalinkNotFound() {
  return (
    <>
      <h1 className="sr-only">Permalink not found</h1>
      <EmptyState
        title="Permalink not found"
        action={
          <Link href="/clients" className="text-accent underline underline-offset-2">
            See all clients
          </Link>
        }
      >
        The address may be incomplete, or the permalink was created by another xdscope. Permalinks are stored
        in the data directory of the xdscope that created them.
      </EmptyState>
    </>
  );
}
