import type { ReactNode } from 'react';
import { clientDetailOptions } from '@/app/_ask/client-question';
import { prefetchAnswer } from '@/app/_ask/prefetch-answer';
import { Prefetched } from '@/app/_components/shell/prefetched';
import { LiveClientView } from '@/app/_views/client-frame/live-client-view';
import { getRuntime } from '@/server/index';

interface ClientLayoutProps {
  readonly params: Promise<{ readonly clientId: string }>;
  readonly children: ReactNode;
}

export default async function ClientLayout({ params, children }: ClientLayoutProps) {
  const { clientId } = await params;
  const { api } = getRuntime();
  const client = await api.findClient(clientId);
  const lastMoment = client === undefined ? ((await api.findLastMoment(clientId)) ?? null) : null;
  // The page below answers 404: notFound() in a layout would skip not-found.tsx of this folder.
  if (client === undefined && lastMoment === null) return children;
  return (
    <Prefetched
      data={[
        [clientDetailOptions({ clientId }).queryKey, client],
        // The page shows at once whether the imported file of the client is still being read.
        await prefetchAnswer('imports', {}),
      ]}
    >
      <LiveClientView clientId={clientId} lastMoment={lastMoment}>
        {children}
      </LiveClientView>
    </Prefetched>
  );
}
