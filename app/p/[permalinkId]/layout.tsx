import type { Metadata } from 'next';
import type { ReactNode } from 'react';
import { Shell } from '@/app/_components/shell/shell';
import type { Permalink } from '@/lib/api/schema';
import { findPermalink } from './find-permalink';
import { FrozenClientView } from './frozen-client-view';

interface PermalinkLayoutProps {
  readonly params: Promise<{ readonly permalinkId: string }>;
  readonly children: ReactNode;
}

export async function generateMetadata({ params }: PermalinkLayoutProps): Promise<Metadata> {
  const permalink = await findPermalink((await params).permalinkId);
  return {
    title:
      permalink === undefined
        ? 'No such permalink'
        : `${permalink.client.nodeId} as of ${permalink.moment?.at ?? permalink.createdAt}`,
    robots: { index: false, follow: false },
  };
}

export default async function PermalinkLayout({ params, children }: PermalinkLayoutProps) {
  const permalink = await findPermalink((await params).permalinkId);
  return (
    <Shell>
      {/* The page below says 404 for an unknown id. */}
      {permalink === undefined ? (
        children
      ) : (
        <FrozenClientView permalink={withoutRows(permalink)}>{children}</FrozenClientView>
      )}
    </Shell>
  );
}

/** What goes to the browser with every tab. */
function withoutRows({ resources: _rows, nextCursor: _next, ...others }: Permalink) {
  return others;
}
