import Link from 'next/link';
import { EmptyState } from '@/app/_components/empty-state';

export default function PermalinkNotFound() {
  return (
    <>
      <h1 className="sr-only">No such permalink</h1>
      <EmptyState
        title="There is no such permalink"
        action={
          <Link href="/clients" className="text-accent underline underline-offset-2">
            See the clients as they are now
          </Link>
        }
      >
        The address may be cut, or the view was stored in another xdscope: a permalink lives in the data
        directory of the xdscope that made it.
      </EmptyState>
    </>
  );
}
