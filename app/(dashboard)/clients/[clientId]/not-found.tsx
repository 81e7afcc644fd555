import Link from 'next/link';
import { EmptyState } from '@/app/_components/empty-state';
import { isRunning } from '@/lib/api/is-running';
import { getRuntime } from '@/server/index';
import { StillReading } from './still-reading';

export default async function ClientNotFound() {
  const { items } = await getRuntime().api.ask('imports', {}, { params: {} });
  const files = items.filter(isRunning);
  return (
    <StillReading files={files.map(({ label }) => label)}>
      <h1 className="sr-only">No such client</h1>
      <EmptyState
        title="There is no such client"
        action={
          <Link href="/clients" className="text-accent underline underline-offset-2">
            See all clients
          </Link>
        }
      >
        No source has reported a client with this id, or what was recorded of it is past its retention. A
        client&apos;s id is made of its node id and its scope: a process that starts with another node id is
        another client.
      </EmptyState>
    </StillReading>
  );
}
