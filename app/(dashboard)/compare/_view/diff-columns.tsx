import { column, unsorted } from '@/app/_components/column';
import type { DataColumn } from '@/app/_components/data-column';
import { ShapeMark } from '@/app/_components/shape-mark';
import { StateMark } from '@/app/_components/status-mark';
import type { DiffAnswerItem } from '@/lib/api/diff';
import { formatMiddleCut } from '@/lib/format/middle-cut';
import { changeShape } from '@/lib/view-model/changes/change-shape';
import { describeLine, describeValues } from '@/lib/view-model/compare/describe-diff';

type Column = DataColumn<DiffAnswerItem>;
const kind: Column = column('kind', 'Difference', (item) => item.kind, {
  widthPx: 190,
  as: (value) => <ShapeMark shape={changeShape(value)} />,
});
const type: Column = column('type', 'Type', (item) => item.service, {
  widthPx: 70,
  as: (service) => <span className="note">{service}</span>,
});
const name: Column = column('name', 'Name', (item) => item.name, { as: 'name', widthPx: 220, grows: true });
const changes: Column = column('changes', 'Changes', ({ totals }) => totals?.changes || null, {
  as: 'count',
  why: null,
  description: 'Number of semantic differences',
  widthPx: 80,
});
const what: Column = {
  id: 'what',
  header: 'What',
  description: 'The first difference',
  widthPx: 300,
  grows: true,
  cell: (item) => <What item={item} />,
};

export const diffColumns = unsorted([kind, type, name, changes, what]);
/** Used beside an open resource. */
export const fewDiffColumns = unsorted([{ ...kind, widthPx: 130 }, type, name, changes]);
export const narrowDiffColumns = unsorted([
  { ...kind, widthPx: 120 },
  { ...type, widthPx: 56 },
  { ...name, widthPx: 160 },
]);

export const diffItemId = ({ typeUrl, name }: DiffAnswerItem): string => `${typeUrl} ${name}`;

/** The end of a path identifies the field best. */
const pathChars = 44;

function What({ item: { kind, lines, left, right } }: { readonly item: DiffAnswerItem }) {
  const [line] = lines;
  if (line !== undefined) {
    const text = describeLine(line);
    return (
      <span className="flex min-w-0 gap-2 font-mono text-small" title={text} translate="no">
        <span className="min-w-0 truncate">{formatMiddleCut(line.path, pathChars)}</span>
        <span className="max-w-3/5 shrink-0 truncate">{describeValues(line)}</span>
      </span>
    );
  }
  if (kind === 'added') return <span className="text-muted">only on the right</span>;
  if (kind === 'removed') return <span className="text-muted">only on the left</span>;
  if (kind !== 'status') return null;
  return (
    <span className="inline-flex items-center gap-1.5 text-small">
      {left === null ? 'not reported' : <StateMark state={left.state} />} →{' '}
      {right === null ? 'not reported' : <StateMark state={right.state} />}
    </span>
  );
}
