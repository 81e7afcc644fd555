import Link from 'next/link';
import { EmptyState } from '@/app/_components/empty-state';
import { isRunning } from '@/lib/views/sources/is-running';
import { getRuntime } from '@/server/index';
import { StillReading, UnknownView } from './missing-client';

export default async function ClientNotFound() {
  const { items } = await getRuntime().api.ask('imports', {}, { params: {} });
  const files = items.filter(isRunning);
  return (
    <StillReading files={files.map(({ label }) => label)}>
      <UnknownView>
        <h1 className="sr-only">Client not found</h1>
        <EmptyState
          title="Client not found"
          action={
            <Link href="/clients" className="link">
              See all clients
            </Link>
          }
        >
          No source has reported a client with this ID, or its retention has ended. A client is identified by
          its node ID and scope.
        </EmptyState>
      </UnknownView>
    </StillReading>
  );
}
