'use client';

import Link from 'next/link';
import { useMemo } from 'react';
import { useSearch } from '@/app/_ask/use-search';
import { EmptyState } from '@/app/_components/empty-state';
import { FilterField } from '@/app/_components/filter-field';
import { describeIndex } from '@/app/_components/palette/describe-index';
import { Panel } from '@/app/_components/panel';
import { QueryContent } from '@/app/_components/query-content';
import { PageBody } from '@/app/_components/shell/page-body';
import { PageHead } from '@/app/_components/shell/page-head';
import { useDebounced } from '@/app/_hooks/use-debounced';
import { formatCount } from '@/lib/format/count';
import { buildResults } from '@/lib/views/search/build-palette';
import { type PaletteGroup, paletteGroups } from '@/lib/views/search/palette-item';
import type { SearchAnswer } from '@/lib/views/search/schema';
import { searchGrammar } from '@/lib/views/search/search-grammar';

const typingPauseMs = 150;
const perGroup = 100;

interface ResultsViewProps {
  readonly text: string;
  readonly onChange: (text: string) => void;
}

/** Everything that matches a text: resources with their holders, clients, NACKs, addresses, domains and versions. */
export function ResultsView({ text, onChange }: ResultsViewProps) {
  const asked = useDebounced(text, typingPauseMs);
  const { data, error, refetch } = useSearch(asked, perGroup);
  const missing = data === undefined ? '' : describeIndex({ ...data, problems: [] }, asked);
  return (
    <PageBody>
      <PageHead
        title="Search"
        vantage="resources of all clients, as clients and control planes report them"
        partial={missing}
      />
      <FilterField
        label="Search the fleet"
        grammar={searchGrammar}
        value={text}
        onChange={onChange}
        placeholder="payment-v1  type=CDS  status=NACKED  address~10.0.0."
        className="w-full md:w-130"
      />
      {text.trim() === '' ? (
        <EmptyState title="Nothing to search for">
          Type a part of a name, an address, a domain, a version, an error message or a hash.
        </EmptyState>
      ) : (
        <QueryContent query={{ data, error, refetch }} what="the results" rows={8}>
          {(answer) => <Results answer={answer} />}
        </QueryContent>
      )}
    </PageBody>
  );
}

function Results({ answer }: { readonly answer: SearchAnswer }) {
  const groups = useMemo(() => buildResults(answer, perGroup), [answer]);
  if (groups.length === 0)
    return <EmptyState title="Nothing matches">Try a shorter part of the name.</EmptyState>;
  return groups.map((group) => <ResultGroup key={group.name} group={group} answer={answer} />);
}

function ResultGroup({ group, answer }: { readonly group: PaletteGroup; readonly answer: SearchAnswer }) {
  const { name, items } = group;
  const title = paletteGroups[name];
  return (
    <Panel title={title} vantage={describeTotal(name, answer, items.length)} flush>
      <ul className="divide-y divide-line">
        {items.map(({ id, title: text, label, detail, target }) => (
          <li key={id} className="flex flex-wrap items-baseline gap-x-3 px-4 py-1.5">
            {label !== '' && <span className="note w-12 shrink-0 truncate">{label}</span>}
            {'href' in target && (
              <Link href={target.href} className="min-w-0 font-mono text-[0.9286em] break-all link-hover">
                {text === '' ? '(empty name)' : text}
              </Link>
            )}
            <span className="ml-auto note">{detail}</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** "7", "100 of 2,340", "100 of 2,000 or more". */
function describeTotal(name: PaletteGroup['name'], answer: SearchAnswer, shown: number): string {
  const totals: Partial<Record<PaletteGroup['name'], number>> = {
    resources: answer.resources.total,
    clients: answer.clients.total,
    nacks: answer.nacks.total,
    versions: answer.versions.total,
  };
  const total = totals[name] ?? shown;
  const isAtLeast = name === 'resources' && !answer.resources.isComplete;
  if (total <= shown && !isAtLeast) return formatCount(shown);
  return `${formatCount(shown)} of ${formatCount(total)}${isAtLeast ? ' or more' : ''}`;
}
