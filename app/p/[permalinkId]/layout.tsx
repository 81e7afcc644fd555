import type { QueryKey } from '@tanstack/react-query';
import type { Metadata } from 'next';
import type { ReactNode } from 'react';
import { answerKey } from '@/app/_ask/client-question';
import { ErrorState } from '@/app/_components/error-state';
import { Prefetched } from '@/app/_components/shell/prefetched';
import { Shell } from '@/app/_components/shell/shell';
import { parsersOf } from '@/app/_views/client/search-params';
import { graphParams } from '@/app/_views/graph/search-params';
import type { Permalink } from '@/lib/views/permalinks/schema';
import { readPermalink } from './find-permalink';
import { StoredClientView } from './stored-client-view';

interface PermalinkLayoutProps {
  readonly params: Promise<{ readonly permalinkId: string }>;
  readonly children: ReactNode;
}

export async function generateMetadata({ params }: PermalinkLayoutProps): Promise<Metadata> {
  const found = await readPermalink((await params).permalinkId);
  const robots = { index: false, follow: false };
  if (found.kind === 'unknown') return { title: 'Permalink not found', robots };
  if (found.kind === 'unreadable') return { title: 'Permalink cannot be read', robots };
  // A title here would replace the template of the root layout for the tabs, which have titles themselves.
  return { robots };
}

export default async function PermalinkLayout({ params, children }: PermalinkLayoutProps) {
  const found = await readPermalink((await params).permalinkId);
  return (
    <Shell>
      {found.kind === 'found' && (
        <Prefetched data={[[graphKeyOf(found.stored), found.stored.graph]]}>
          <StoredClientView permalink={frameOf(found.stored)}>{children}</StoredClientView>
        </Prefetched>
      )}
      {found.kind === 'unreadable' && (
        <ErrorState title="This permalink cannot be read" error={found.reason} />
      )}
      {/* The page answers 404 for an unknown id. */}
      {found.kind === 'unknown' && children}
    </Shell>
  );
}

/** The permalink without the data of tabs. */
function frameOf({ resources: _rows, nextCursor: _next, graph: _graph, ...others }: Permalink) {
  return others;
}

/** The graph of a permalink has no marks, because it is built without an effective config. */
function graphKeyOf({ id, view }: Permalink): QueryKey {
  const { expand } = parsersOf(graphParams, view.query);
  return answerKey({ permalinkId: id }, 'graph', { expand: expand.defaultValue });
}
