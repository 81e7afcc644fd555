import type { Source } from '@/lib/api/schema';
import { SourceRows } from './source-rows';

const heads = [
  { id: 'state', label: 'State' },
  { id: 'source', label: 'Source' },
  { id: 'success', label: 'Last answer', isNumber: true },
  { id: 'size', label: 'Size', isNumber: true },
  { id: 'answers', label: 'Answers', isNumber: true },
  { id: 'failures', label: 'Failures', isNumber: true },
  { id: 'latency', label: 'Latency', isNumber: true },
  { id: 'interval', label: 'Every', isNumber: true },
  { id: 'clients', label: 'Clients', isNumber: true },
] as const;

/** What is wrong first; the rest as the server has it. */
const order: readonly Source['state'][] = ['down', 'connecting', 'up', 'paused'];

/** One row a source, and below it in words what is wrong with it. On a phone each row becomes a card. */
export function SourcesTable({ sources }: { readonly sources: readonly Source[] }) {
  const sorted = [...sources].sort((a, b) => order.indexOf(a.state) - order.indexOf(b.state));
  return (
    <table className="w-full border-collapse max-lg:block">
      <thead className="bg-sunken max-lg:hidden">
        <tr>
          {heads.map((head) => (
            <th
              key={head.id}
              scope="col"
              className={`h-9 px-3 text-[0.8571rem] font-medium whitespace-nowrap text-muted first:pl-4 ${'isNumber' in head ? 'text-right' : 'text-left'}`}
            >
              {head.label}
            </th>
          ))}
          <th scope="col">
            <span className="sr-only">Actions</span>
          </th>
        </tr>
      </thead>
      {sorted.map((source) => (
        <SourceRows key={source.id} source={source} columns={heads.length + 1} />
      ))}
    </table>
  );
}
